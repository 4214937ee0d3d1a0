import { migration } from '../../../kernel/migrations/migration.ts';

/**
 * Creates the same trigger as 0002-access. When a record of `table` changes, every process drops the cached credentials
 * that depend on the record.
 */
const noting = (table: string, on: string): string =>
  `create trigger "${table}_scope_noted" after ${on} on "identity"."${table}" for each row execute function "identity"."note_change"()`;

const PRINCIPALS = ['user', 'api_key', 'certificate', 'oauth_client', 'trusted_issuer'];

/**
 * Adds columns for the accounts that principals are limited to, where null means the whole organization. Also adds each organization's own
 * account.
 */
export const accountScope = migration('0020-account-scope', [
  ...[...PRINCIPALS, 'saml_connection'].map((table) => `alter table "identity"."${table}" add column "accounts" jsonb null`),
  ...PRINCIPALS.map((table) => noting(table, 'update of "accounts"')),
  noting('account', 'delete or update of "status"'),
  ...[
    ['user', 'role'],
    ['saml_connection', 'default_role'],
  ].flatMap(([table, column]) => [
    `alter table "identity"."${table}" drop constraint "${table}_${column}_check"`,
    `alter table "identity"."${table}" add constraint "${table}_${column}_check" check ("${column}" in ('owner', 'admin', 'member', 'billing', 'support', 'read_only', 'account_admin'))`,
  ]),

  `alter table "identity"."account" add column "own" boolean not null default false`,
  `create unique index "account_own_index" on "identity"."account" ("organization_id") where own`,
  `insert into "identity"."account" ("id", "customer_id", "organization_id", "name", "email", "own", "status", "timezone", "metadata", "created_at", "updated_at")
     select 'acc_01' || upper(substr(md5('account' || "id"), 1, 24)), 'cust_01' || upper(substr(md5('customer' || "id"), 1, 24)),
       "id", "name", '', true, 'active', 'UTC', '{}', now(), now()
     from "identity"."organization"`,
]);
