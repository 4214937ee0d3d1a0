import type { Plan } from '../../kernel/access/principal.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { EntityManager, Orm } from '../../kernel/database/database.ts';
import { newId } from '../../kernel/records/ids.ts';
import { Account } from './accounts/account.entity.ts';
import { openAccounts } from './accounts/organization-accounts.ts';
import { ApiKey } from './api-keys/api-key.entity.ts';
import { generateApiKey } from './api-keys/api-key-secret.ts';
import { Organization } from './organizations/organization.entity.ts';

export interface CreateOrganizationParts {
  orm: Orm;
  clock: Clock;
  /** True if this platform is a sandbox, in which new keys are test keys. */
  sandbox: boolean;
}

export interface NewOrganization {
  name: string;
  plan: Plan;
  /** True if the new organization operates the platform. Only the first organization operates the platform. */
  operator?: boolean;
}

/** A new organization. `apiKey` is a key with all permissions; only its hash is stored. */
export interface CreatedOrganization {
  organization: Organization;
  apiKey: string;
}

/** Creates an organization and a key with all permissions. Does not check any permission of a caller. */
export function createOrganization({ orm, clock, sandbox }: CreateOrganizationParts, input: NewOrganization): Promise<CreatedOrganization> {
  const apiKey = generateApiKey(sandbox);
  return orm.em.fork().transactional(async (tx) => {
    const { organization } = await insertOrganization(tx, input, clock.now());
    tx.persist(firstKey(organization, apiKey, clock.now()));
    return { organization, apiKey };
  });
}

/**
 * Creates an organization, its own account, and its account at the operator, in the caller's transaction. Every new
 * organization is created by this function.
 */
export async function insertOrganization(
  tx: EntityManager,
  { name, plan, operator = false }: NewOrganization,
  now: Date,
): Promise<{ organization: Organization; account: Account }> {
  const organization = Object.assign(new Organization(), { id: newId('organization'), name, plan, operator, createdAt: now });
  const account = ownAccount(organization);
  await tx.persist([organization, account]).flush();
  await openAccounts(tx, now, organization.id);
  return { organization, account };
}

/**
 * Creates the first key of an organization, with all permissions. The first key of the operator's organization may also
 * operate the platform.
 */
export function firstKey({ id: organizationId, operator }: Organization, apiKey: string, now: Date): ApiKey {
  return ApiKey.issue(apiKey, {
    organizationId,
    name: 'Administrator',
    description: 'Created with the organization; has all permissions.',
    permissions: operator ? ['*:*', 'platform:admin'] : ['*:*'],
    rateLimit: null,
    ipWhitelist: [],
    expiresAt: null,
    createdAt: now,
  });
}

/**
 * Creates the organization's own account. All records without a customer belong to this account. The account gets no
 * mail until it has an e-mail address.
 */
function ownAccount({ id: organizationId, name, createdAt }: Organization): Account {
  const known = { id: newId('account'), customerId: newId('customer'), organizationId, name, email: '', own: true };
  return Object.assign(new Account(), known, { createdAt, updatedAt: createdAt });
}
