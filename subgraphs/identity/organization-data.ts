import { kept, type OrganizationTables } from '../../kernel/records/organization-data.ts';
import { type OrganizationExport, partKeysOf } from './operator/organization-export.entity.ts';

const OF_USERS = `"user_id" in (select "id" from "identity"."user" where "organization_id" = $1)`;
const OF_CONNECTIONS = `"connection_id" in (select "id" from "identity"."saml_connection" where "organization_id" = $1)`;

/** Returns the storage keys of an export's files. The parameter is a row of `organization_export`, with column names as keys. */
const exportFiles = ({ id, organization_id: organizationId, parts }: Readonly<Record<string, unknown>>): string[] =>
  partKeysOf({ id, organizationId, parts } as OrganizationExport);

/**
 * Rules for the identity domain's records of a deleted organization. Users and credentials are deleted. Audit records and accounts are kept
 * without personal data, accounts because invoices refer to them.
 */
export const organizationData: OrganizationTables = {
  tables: [
    {
      table: 'oauth_record',
      where: `${OF_USERS} or "client_id" in (select "id" from "identity"."oauth_client" where "organization_id" = $1)`,
      withheld: 'all',
      end: 'deleted',
    },
    {
      table: 'refresh_token',
      where: `"session_id" in (select "id" from "identity"."session" where "organization_id" = $1)`,
      withheld: 'all',
      end: 'deleted',
    },
    { table: 'elevation', where: OF_USERS, withheld: 'all', end: 'deleted' },
    { table: 'known_place', where: OF_USERS, withheld: 'all', end: 'deleted' },
    { table: 'one_time_token', where: OF_USERS, withheld: 'all', end: 'deleted' },
    { table: 'backup_code', where: OF_USERS, withheld: 'all', end: 'deleted' },
    { table: 'saml_code', where: OF_USERS, withheld: 'all', end: 'deleted' },
    { table: 'mfa_challenge', withheld: 'all', end: 'deleted' },
    { table: 'mfa_method', withheld: ['secret'], end: 'deleted' },
    { table: 'session', end: 'deleted' },
    { table: 'saml_request', where: OF_CONNECTIONS, withheld: 'all', end: 'deleted' },
    { table: 'saml_domain', where: OF_CONNECTIONS, end: 'deleted' },
    { table: 'saml_domain_claim', end: 'deleted' },
    { table: 'saml_connection', end: 'deleted' },
    { table: 'trusted_issuer', end: 'deleted' },
    {
      table: 'oauth_client',
      withheld: ['secret_hash', 'previous_secret_hash'],
      harmless: ['previous_secret_until'],
      end: 'deleted',
    },
    {
      table: 'api_key',
      withheld: ['hash', 'previous_hash', 'signing_secret', 'previous_signing_secret'],
      end: 'deleted',
    },
    { table: 'certificate', end: 'deleted' },
    { table: 'user_restrictions', where: '"id" = $1', end: 'deleted' },
    { table: 'user', withheld: ['password_hash'], end: 'deleted' },
    {
      table: 'account',
      end: {
        ...kept('id', 'organization_id', 'customer_id', 'status', 'timezone', 'tier', 'created_at', 'updated_at', 'own'),
        ...kept('billed_organization_id'),
        name: 'pseudonym',
        email: 'pseudonym',
        phone: 'erased',
        billing_contact: 'erased',
        technical_contact: 'erased',
        billing_address: 'erased',
        metadata: 'emptied',
      },
    },
    {
      table: 'audit_record',
      harmless: ['token_type'],
      end: {
        ...kept(
          'id',
          'organization_id',
          'timestamp',
          'event_type',
          'user_id',
          'authentication_method',
          'token_type',
          'scopes',
          'session_id',
        ),
        client_id: 'without_addresses',
        ip_address: 'pseudonym',
        user_agent: 'erased',
        reason: 'without_addresses',
      },
    },
    { table: 'organization_export', withheld: 'all', files: exportFiles, end: 'deleted' },
    { table: 'usage_hour_counter', end: 'deleted' },
    { table: 'organization_plan', end: { ...kept('organization_id', 'day', 'plan') } },
    {
      table: 'usage_month_counter',
      end: { ...kept('organization_id', 'month', 'requests', 'reported', 'reported_at', 'charged') },
    },
    {
      table: 'organization',
      where: '"id" = $1',
      withheld: ['deletion_position', 'pseudonym_key'],
      end: {
        ...kept(
          'id',
          'name',
          'plan',
          'created_at',
          'second_factor_required',
          'hard_violations',
          'under_review_since',
          'operator',
          'status',
          'suspended_at',
          'closed_at',
          'delete_after',
          'deletion_due_at',
          'deletion_position',
          'pseudonym_key',
          'deleted_at',
        ),
      },
    },
  ],
  others: {
    change: 'ids of records that changed, for an hour',
    login_attempt: 'digests of addresses, for a day',
    mfa_counter: 'digests, for a day',
    request_signature: 'digests of requests, for minutes',
    revoked_token: 'ids of tokens, until they would have expired',
    saml_assertion: 'digests of assertions, for minutes',
    signing_key: "the platform's own",
    usage_writer_counter: 'processes that count',
  },
};
