import type { Plan } from '../../kernel/access/principal.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { EntityManager, Orm } from '../../kernel/database/database.ts';
import { newId } from '../../kernel/records/ids.ts';
import { Account } from './accounts/account.entity.ts';
import { ApiKey } from './api-keys/api-key.entity.ts';
import { generateApiKey } from './api-keys/api-key-secret.ts';
import { Organization } from './organizations/organization.entity.ts';

export interface CreateOrganizationParts {
  orm: Orm;
  clock: Clock;
  /** Makes test keys. */
  sandbox: boolean;
}

export interface NewOrganization {
  name: string;
  plan: Plan;
  /** Whether it operates the platform: the first one does. */
  operator?: boolean;
}

/** An organization that has just been made. `apiKey` is the text of a key with all permissions; only its hash is kept. */
export interface CreatedOrganization {
  organization: Organization;
  apiKey: string;
}

/** Makes an organization and the key that everything else in it can be made with: nobody's permission is asked. */
export function createOrganization({ orm, clock, sandbox }: CreateOrganizationParts, input: NewOrganization): Promise<CreatedOrganization> {
  const apiKey = generateApiKey(sandbox);
  return orm.em.fork().transactional(async (tx) => {
    const { organization } = insertOrganization(tx, input, clock.now());
    tx.persist(firstKey(organization, apiKey, clock.now()));
    return { organization, apiKey };
  });
}

/** The one place where an organization is made, with what every organization has. Within the caller's transaction. */
export function insertOrganization(
  tx: EntityManager,
  { name, plan, operator = false }: NewOrganization,
  now: Date,
): { organization: Organization; account: Account } {
  const organization = Object.assign(new Organization(), { id: newId('organization'), name, plan, operator, createdAt: now });
  const account = ownAccount(organization);
  tx.persist([organization, account]);
  return { organization, account };
}

/** The operator's key may operate the platform too. */
export function firstKey({ id: organizationId, operator }: Organization, apiKey: string, now: Date): ApiKey {
  return ApiKey.issue(apiKey, {
    organizationId,
    name: 'Administrator',
    description: 'Made with the organization; holds all permissions.',
    permissions: operator ? ['*:*', 'platform:admin'] : ['*:*'],
    rateLimit: null,
    ipWhitelist: [],
    expiresAt: null,
    createdAt: now,
  });
}

/** What belongs to no customer belongs to it. Nobody is written to there until it gets an address. */
function ownAccount({ id: organizationId, name, createdAt }: Organization): Account {
  const known = { id: newId('account'), customerId: newId('customer'), organizationId, name, email: '', own: true };
  return Object.assign(new Account(), known, { createdAt, updatedAt: createdAt });
}
