import { randomBytes } from 'node:crypto';
import type { EntityManager } from '../../kernel/database/database.ts';
import { newId } from '../../kernel/records/ids.ts';
import { type Config, ConfigError } from '../../kernel/settings/config.ts';
import { generateApiKey, isApiKey, isSandboxKey, prefixOf } from './api-keys/api-key-secret.ts';
import { type CreateOrganizationParts, firstKey, insertOrganization } from './create-organization.ts';
import { OAuthClient } from './oauth-clients/oauth-client.entity.ts';
import { OAuthGrantType } from './oauth-clients/oauth-client-grant-types.ts';
import { isRedirectUri } from './oauth-clients/redirect-uri.ts';
import { Organization } from './organizations/organization.entity.ts';
import { PlatformAccess, UserRole } from './user.states.ts';
import { hashPassword } from './users/password.ts';
import { User } from './users/user.entity.ts';

/** Values that the configuration may preset for the first start. All other values are generated. */
export type Presets = Pick<Config, 'bootstrapEmail' | 'bootstrapPassword' | 'bootstrapApiKey'> &
  Partial<Pick<Config, 'bootstrapClientId' | 'bootstrapClientSecret' | 'bootstrapRedirectUri'>>;

/** The first administrator and its credentials, to be shown once. Password and key are stored as hashes only. */
export interface Bootstrapped {
  /** Organization id. */
  organization: string;
  email: string;
  password: string;
  apiKey: string;
  /** Id of an OAuth client that may request all permissions. */
  clientId: string;
  clientSecret: string;
}

const ORGANIZATION = { name: 'Default organization', plan: 'enterprise', operator: true } as const;
const PASSWORD_BYTES = 18;

/**
 * At the first start, creates the operator's organization, its owner and an API key with all permissions. Returns
 * undefined if an organization exists already, even if values are preset. If several processes start together, only one
 * of them creates these records.
 * @throws ConfigError for a preset key that could never be used on this platform
 */
export async function bootstrap({ orm, clock, sandbox }: CreateOrganizationParts, presets: Presets): Promise<Bootstrapped | undefined> {
  const apiKey = presets.bootstrapApiKey ?? generateApiKey(sandbox);
  if (!isApiKey(apiKey) || isSandboxKey(apiKey) !== sandbox) {
    throw new ConfigError([`BOOTSTRAP_API_KEY must be ${prefixOf(sandbox)} and 64 letters or digits.`]);
  }
  const em = orm.em.fork();
  if ((await em.count(Organization)) > 0) return undefined;

  const { bootstrapEmail: email, bootstrapPassword: password = randomBytes(PASSWORD_BYTES).toString('base64url') } = presets;
  const passwordHash = await hashPassword(password);
  return em.transactional(async (tx) => {
    await waitForOthers(tx);
    if ((await tx.count(Organization)) > 0) return undefined;

    const now = clock.now();
    const { organization, account } = await insertOrganization(tx, ORGANIZATION, now);
    const owner = {
      id: newId('user'),
      organizationId: organization.id,
      accountId: account.id,
      email: email.toLowerCase(),
      loginName: email.toLowerCase(),
      name: 'Administrator',
      role: UserRole.OWNER,
      platformAccess: PlatformAccess.ADMIN,
      passwordHash,
      createdAt: now,
      updatedAt: now,
    };
    const client = firstClient(organization.id, presets, now);
    tx.persist([firstKey(organization, apiKey, now), Object.assign(new User(), owner), client]);
    const { id: clientId, clientSecret } = client;
    return { organization: organization.id, email: owner.email, password, apiKey, clientId, clientSecret: clientSecret ?? '' };
  });
}

const REDIRECT_URI = 'https://example.com/callback';

function firstClient(organizationId: string, presets: Presets, now: Date): OAuthClient {
  const { bootstrapClientId: id, bootstrapClientSecret: secret, bootstrapRedirectUri = REDIRECT_URI } = presets;
  if (!isRedirectUri(bootstrapRedirectUri))
    throw new ConfigError(['BOOTSTRAP_REDIRECT_URI must be an https address without fragment, or http on this machine.']);
  return OAuthClient.register(
    {
      organizationId,
      name: 'First application',
      description: 'Created at the first start; may request all permissions.',
      isConfidential: true,
      redirectUris: [bootstrapRedirectUri],
      grantTypes: Object.values(OAuthGrantType),
      permissions: ['*:*'],
    },
    now,
    { id, secret },
  );
}

/**
 * Id of the advisory lock: an arbitrary number, the same in every process. The lock is released when the transaction
 * ends.
 */
const BOOTSTRAP_LOCK = 4_201_001;

async function waitForOthers(tx: EntityManager): Promise<void> {
  await tx.execute('select pg_advisory_xact_lock(?)', [BOOTSTRAP_LOCK]);
}
