import {
  CredentialsMissing,
  InsufficientPermissions,
  InvalidParameters,
  LimitedToAccounts,
  SecondFactorRequired,
} from '../errors/errors.ts';

/**
 * The areas of permissions. A permission is an area and an action, such as `support:read`. See
 * docs/decisions/access.md.
 */
export const AREAS = ['accounts', 'credentials', 'services', 'billing', 'support', 'monitoring', 'analytics', 'webhooks'] as const;
export const ACTIONS = ['read', 'create', 'write', 'admin'] as const;
export type Area = (typeof AREAS)[number];
export type Action = (typeof ACTIONS)[number];
/**
 * Permissions to operate the platform itself, across all organizations. `admin` includes `read`. No wildcard, OAuth
 * scope, certificate or trusted issuer includes these permissions. A user or key of the operator's organization gets a
 * platform permission only through a grant that names the permission.
 */
export const PLATFORM_PERMISSIONS = ['platform:read', 'platform:admin'] as const;
export type PlatformPermission = (typeof PLATFORM_PERMISSIONS)[number];
export type Permission = `${Area}:${Action}` | PlatformPermission;
/**
 * A permission, or a wildcard for all permissions of an area or of the organization. Keys and roles each have a list of
 * grants.
 */
export type Grant = Permission | `${Area}:*` | '*:*';

export type Plan = 'developer' | 'business' | 'enterprise' | 'custom';

/** The accounts that a principal is limited to; null for the whole organization. */
export type Accounts = readonly string[] | null;

/** Maximum number of accounts that a principal can be limited to. */
export const MAX_ACCOUNTS = 50;

/** The records that a query may return: all records of an organization, or only the records of some of its accounts. */
export interface RecordScope {
  readonly organizationId: string;
  readonly accounts: Accounts;
}

export interface PrincipalData {
  kind: 'api_key' | 'certificate' | 'user' | 'client' | 'system';
  /** Id of the key, certificate, user or OAuth client. For the platform itself, the name of the job. */
  id: string;
  organizationId: string;
  plan: Plan;
  grants: readonly Grant[];
  /** The accounts that the principal is limited to. Default: null, the whole organization. */
  accounts?: Accounts | undefined;
  /** Id of the user's login session, or of the user's grant to an OAuth client. */
  sessionId?: string | undefined;
  /** Id of the OAuth client that acts for the user. */
  clientId?: string | undefined;
  /**
   * The operations that the user may use only after passing a second factor (specification 3.6). `true`: all operations
   * that require a second factor. `platform`: only the operations with a permission of the platform itself, which
   * require a second factor even from users who have not enrolled one. `false`: none.
   */
  needsSecondFactor?: boolean | 'platform' | undefined;
}

/**
 * The authenticated caller of a request, and the caller's permissions. Immutable. Subgraphs get the result of
 * `toJSON()`.
 */
export class Principal implements PrincipalData, RecordScope {
  readonly kind: PrincipalData['kind'];
  readonly id: string;
  readonly organizationId: string;
  readonly plan: Plan;
  readonly grants: readonly Grant[];
  /**
   * The accounts are sorted and contain no duplicates, so that equal sets have equal JSON. An empty list means that the
   * principal has access to no account.
   */
  readonly accounts: Accounts;
  readonly sessionId: string | undefined;
  readonly clientId: string | undefined;
  readonly needsSecondFactor: boolean | 'platform';
  readonly #held: ReadonlySet<string>;

  constructor({ kind, id, organizationId, plan, grants, accounts = null, sessionId, clientId, needsSecondFactor = false }: PrincipalData) {
    this.kind = kind;
    this.id = id;
    this.organizationId = organizationId;
    this.plan = plan;
    this.grants = grants;
    this.accounts = accounts && [...new Set(accounts)].sort();
    this.sessionId = sessionId;
    this.clientId = clientId;
    this.needsSecondFactor = needsSecondFactor;
    this.#held = new Set(grants.flatMap(implied));
  }

  /** A caller without credentials. It has no permissions and no organization, and may use public operations only. */
  static readonly nobody = new Principal({ kind: 'user', id: 'anonymous', organizationId: '', plan: 'developer', grants: [] });

  /**
   * Creates a principal for the platform itself. It acts for an organization in jobs, in reactions to events, and when
   * the platform checks that a referenced record exists. `accounts` limits the principal to these accounts.
   */
  static system(job: string, organizationId: string, accounts: Accounts = null): Principal {
    return new Principal({ kind: 'system', id: job, organizationId, plan: 'custom', grants: ['*:*'], accounts });
  }

  may(permission: Permission): boolean {
    const [area] = permission.split(':');
    if (this.#held.has(permission) || this.#held.has(`${area}:*`)) return true;
    return this.#held.has('*:*') && !isPlatformPermission(permission);
  }

  /**
   * Checks that the principal has the permission.
   * @throws InsufficientPermissions (403) if the principal lacks the permission; CredentialsMissing (401) if there are
   * no credentials
   */
  require(permission: Permission): void {
    this.requireAuthenticated();
    if (!this.may(permission)) throw new InsufficientPermissions(permission);
  }

  /**
   * Checks that the request has credentials.
   * @throws CredentialsMissing (401) if there are no credentials
   */
  requireAuthenticated(): void {
    if (this === Principal.nobody || this.organizationId === '') throw new CredentialsMissing();
  }

  /**
   * Checks that the user may use an operation that requires a second factor. `permission` is the permission of the
   * operation.
   * @throws SecondFactorRequired (403) if the user must first pass a second factor
   */
  requireSecondFactor(permission?: string): void {
    const { needsSecondFactor } = this;
    if (needsSecondFactor === true || (needsSecondFactor && isPlatformPermission(permission))) throw new SecondFactorRequired();
  }

  /**
   * Returns true if this principal has every permission that the grant contains. A principal can grant only permissions
   * that it has.
   */
  mayGrant(grant: Grant): boolean {
    const [area, action] = grant.split(':') as [Area | '*', Action | '*'];
    if (area === '*') return this.#held.has('*:*');
    return action === '*' ? this.#held.has('*:*') || this.#held.has(grant) : this.may(`${area}:${action}`);
  }

  /** Returns true if this principal may see records of the account. Records without an account belong to the whole organization. */
  sees(accountId: string | null | undefined): boolean {
    return this.accounts === null || (typeof accountId === 'string' && this.accounts.includes(accountId));
  }

  /**
   * Returns true if this principal sees all of these accounts. A principal can give access only to accounts that it
   * sees.
   */
  seesAllOf(accounts: Accounts): boolean {
    return this.accounts === null || accounts?.every((id) => this.sees(id)) === true;
  }

  /**
   * Returns the account of a new record for a request that does not contain an account. It is the only account that the
   * caller sees, or null if the caller sees the whole organization. `field` is the name of the request field for the
   * account.
   * @throws InvalidParameters if the caller sees several accounts, or none
   */
  defaultAccount(field: string): string | null {
    if (this.accounts === null) return null;
    const [only, another] = this.accounts;
    if (only !== undefined && another === undefined) return only;
    const several = 'must name one of your accounts, because you have access to several';
    throw new InvalidParameters([{ field, reason: only === undefined ? 'is required, because you have access to no account' : several }]);
  }

  /**
   * Checks that the principal may access the whole organization.
   * @throws LimitedToAccounts (403) if the principal is limited to accounts
   */
  requireOrganization(): void {
    if (this.accounts !== null) throw new LimitedToAccounts();
  }

  toJSON(): PrincipalData {
    const { kind, id, organizationId, plan, grants, accounts, sessionId, clientId, needsSecondFactor } = this;
    return { kind, id, organizationId, plan, grants, accounts, sessionId, clientId, needsSecondFactor };
  }
}

/**
 * Returns a grant and the grants that it includes: `write` includes `create`; `admin` includes all permissions of its
 * area.
 */
function implied(grant: Grant): string[] {
  const [area, action] = grant.split(':');
  if (action === 'write') return [grant, `${area}:create`];
  return action === 'admin' ? [grant, `${area}:*`] : [grant];
}

/**
 * Returns the grants of `wished` that `held` also has. If `held` has only a part of a grant, such as a part of a wildcard, the result
 * contains this part. For example, an access token gets only scopes that its user has.
 */
export function narrowed(wished: readonly Grant[], held: Pick<Principal, 'mayGrant' | 'grants'>): Grant[] {
  const both = wished.flatMap((wish) => (held.mayGrant(wish) ? [wish] : held.grants.filter((grant) => liesWithin(grant, wish))));
  return [...new Set(both)];
}

/**
 * Returns the accounts that two principals both see, for example a user and the OAuth client that acts for this user.
 * Returns null if both see the whole organization.
 */
export const sharedAccounts = (one: Accounts, other: Accounts): Accounts =>
  one === null || other === null ? (one ?? other) : one.filter((id) => other.includes(id));

const liesWithin = (grant: Grant, wish: Grant): boolean =>
  new Principal({ kind: 'system', id: 'wish', organizationId: '', plan: 'custom', grants: [wish] }).mayGrant(grant);

/** Converts a grant to an OAuth scope: `services:read` becomes `services.read`. */
export const scopeOf = (grant: Grant): string => grant.replace(':', '.');
export const grantOf = (scope: string): string => scope.replace('.', ':');

/** Returns the regular expression that matches grants. The separator is a colon in grants and a dot in OAuth scopes. */
export const grantPattern = (separator: ':' | '\\.'): string =>
  `^(\\*${separator}\\*|(${AREAS.join('|')})${separator}(\\*|${ACTIONS.join('|')}))$`;
const GRANT = new RegExp(grantPattern(':'));
export const isPlatformPermission = (text: unknown): text is PlatformPermission => PLATFORM_PERMISSIONS.some((one) => one === text);
/** Returns true for grants within an organization, and false for permissions of the platform itself. */
export const isGrant = (text: string): text is Grant => GRANT.test(text);
