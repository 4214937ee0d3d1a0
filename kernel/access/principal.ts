import {
  CredentialsMissing,
  InsufficientPermissions,
  InvalidParameters,
  LimitedToAccounts,
  SecondFactorRequired,
} from '../errors/errors.ts';

/** The areas and actions that permissions are made of (`support:read`), see docs/decisions/access.md. */
export const AREAS = ['accounts', 'credentials', 'services', 'billing', 'support', 'monitoring', 'analytics', 'webhooks'] as const;
export const ACTIONS = ['read', 'create', 'write', 'admin'] as const;
export type Area = (typeof AREAS)[number];
export type Action = (typeof ACTIONS)[number];
/**
 * What operates the platform itself, above all organizations: `admin` holds `read`. No wildcard, OAuth scope, certificate or trusted
 * issuer includes either: a user or key of the operator's organization holds them by name.
 */
export const PLATFORM_PERMISSIONS = ['platform:read', 'platform:admin'] as const;
export type PlatformPermission = (typeof PLATFORM_PERMISSIONS)[number];
export type Permission = `${Area}:${Action}` | PlatformPermission;
/** What a key or role may be given: a permission, or a wildcard over an area or everything. */
export type Grant = Permission | `${Area}:*` | '*:*';

export type Plan = 'developer' | 'business' | 'enterprise' | 'custom';

/** The accounts that somebody may be limited to; null where they see the whole organization. */
export type Accounts = readonly string[] | null;

/** How many accounts somebody may be limited to. */
export const MAX_ACCOUNTS = 50;

/** Whose records are read: an organization's, or of these only those of some accounts. */
export interface RecordScope {
  readonly organizationId: string;
  readonly accounts: Accounts;
}

export interface PrincipalData {
  kind: 'api_key' | 'certificate' | 'user' | 'client' | 'system';
  /** Id of the key, certificate, user or OAuth client; the name of the job for the platform itself. */
  id: string;
  organizationId: string;
  plan: Plan;
  grants: readonly Grant[];
  /** Default: null, the whole organization. */
  accounts?: Accounts | undefined;
  /** The login, or the grant to an OAuth client, that a user acts in. */
  sessionId?: string | undefined;
  /** The OAuth client that acts for the user. */
  clientId?: string | undefined;
  /**
   * A user who must show a second factor before what is protected by one (specification 3.6); `platform` where that is only what
   * operates the platform, which takes one from users who have enrolled none too.
   */
  needsSecondFactor?: boolean | 'platform' | undefined;
}

/** Who makes a request, and what they may do. Immutable; crosses to a subgraph as `toJSON()`. */
export class Principal implements PrincipalData, RecordScope {
  readonly kind: PrincipalData['kind'];
  readonly id: string;
  readonly organizationId: string;
  readonly plan: Plan;
  readonly grants: readonly Grant[];
  /** Sorted and each once, so that equal sets read the same. Empty: it sees no account. */
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

  /** Whoever has shown no credentials: holds nothing, belongs to no organization, and may use what is public. */
  static readonly nobody = new Principal({ kind: 'user', id: 'anonymous', organizationId: '', plan: 'developer', grants: [] });

  /** The platform itself, acting for an organization: jobs, reactions to events, checks of references. `accounts`: of these only. */
  static system(job: string, organizationId: string, accounts: Accounts = null): Principal {
    return new Principal({ kind: 'system', id: job, organizationId, plan: 'custom', grants: ['*:*'], accounts });
  }

  may(permission: Permission): boolean {
    const [area] = permission.split(':');
    if (this.#held.has(permission) || this.#held.has(`${area}:*`)) return true;
    return this.#held.has('*:*') && !isPlatformPermission(permission);
  }

  /** @throws InsufficientPermissions (403) naming the permission; CredentialsMissing (401) where nobody asks. */
  require(permission: Permission): void {
    this.requireAuthenticated();
    if (!this.may(permission)) throw new InsufficientPermissions(permission);
  }

  /** @throws CredentialsMissing (401) */
  requireAuthenticated(): void {
    if (this === Principal.nobody || this.organizationId === '') throw new CredentialsMissing();
  }

  /** @throws SecondFactorRequired (403) for a user who has to show one first, for what needs this permission. */
  requireSecondFactor(permission?: string): void {
    const { needsSecondFactor } = this;
    if (needsSecondFactor === true || (needsSecondFactor && isPlatformPermission(permission))) throw new SecondFactorRequired();
  }

  /** Whether a grant lies within what this principal holds: nobody hands on more than they have. */
  mayGrant(grant: Grant): boolean {
    const [area, action] = grant.split(':') as [Area | '*', Action | '*'];
    if (area === '*') return this.#held.has('*:*');
    return action === '*' ? this.#held.has('*:*') || this.#held.has(grant) : this.may(`${area}:${action}`);
  }

  /** Whether the records of an account may be seen; those of none belong to the organization as a whole. */
  sees(accountId: string | null | undefined): boolean {
    return this.accounts === null || (typeof accountId === 'string' && this.accounts.includes(accountId));
  }

  /** Whether somebody limited to these accounts sees no more than this principal: nobody hands on more than they see. */
  seesAllOf(accounts: Accounts): boolean {
    return this.accounts === null || accounts?.every((id) => this.sees(id)) === true;
  }

  /**
   * The account of a record whose maker names none: the only one that they see. Null where they see the whole organization.
   * @throws InvalidParameters where they see several; `field` is where one is named
   */
  defaultAccount(field: string): string | null {
    if (this.accounts === null) return null;
    const [only, another] = this.accounts;
    if (only !== undefined && another === undefined) return only;
    throw new InvalidParameters([{ field, reason: 'must name one of your accounts: you are limited to several' }]);
  }

  /** @throws LimitedToAccounts (403) for what concerns the whole organization. */
  requireOrganization(): void {
    if (this.accounts !== null) throw new LimitedToAccounts();
  }

  toJSON(): PrincipalData {
    const { kind, id, organizationId, plan, grants, accounts, sessionId, clientId, needsSecondFactor } = this;
    return { kind, id, organizationId, plan, grants, accounts, sessionId, clientId, needsSecondFactor };
  }
}

/** `write` creates and changes; `admin` is everything in its area. */
function implied(grant: Grant): string[] {
  const [area, action] = grant.split(':');
  if (action === 'write') return [grant, `${area}:create`];
  return action === 'admin' ? [grant, `${area}:*`] : [grant];
}

/** What may be granted of a list of wishes: what both hold, as OAuth scopes and tokens narrow what their user may. */
export function narrowed(wished: readonly Grant[], held: Pick<Principal, 'mayGrant' | 'grants'>): Grant[] {
  const both = wished.flatMap((wish) => (held.mayGrant(wish) ? [wish] : held.grants.filter((grant) => liesWithin(grant, wish))));
  return [...new Set(both)];
}

/** The accounts that two both see: of a user and the client that acts for them. */
export const sharedAccounts = (one: Accounts, other: Accounts): Accounts =>
  one === null || other === null ? (one ?? other) : one.filter((id) => other.includes(id));

const liesWithin = (grant: Grant, wish: Grant): boolean =>
  new Principal({ kind: 'system', id: 'wish', organizationId: '', plan: 'custom', grants: [wish] }).mayGrant(grant);

/** The permission as an OAuth scope writes it: `services.read`. */
export const scopeOf = (grant: Grant): string => grant.replace(':', '.');
export const grantOf = (scope: string): string => scope.replace('.', ':');

/** The pattern of grants; as OAuth scopes they have a dot in place of the colon. */
export const grantPattern = (separator: ':' | '\\.'): string =>
  `^(\\*${separator}\\*|(${AREAS.join('|')})${separator}(\\*|${ACTIONS.join('|')}))$`;
const GRANT = new RegExp(grantPattern(':'));
export const isPlatformPermission = (text: unknown): text is PlatformPermission => PLATFORM_PERMISSIONS.some((one) => one === text);
/** Of an organization: what operates the platform is none of these. */
export const isGrant = (text: string): text is Grant => GRANT.test(text);
