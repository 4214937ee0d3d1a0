import { hash } from 'node:crypto';
import { InvalidCredentials, type ShownToken } from '../../../kernel/access/credentials.ts';
import {
  type Accounts,
  type Grant,
  isPlatformPermission,
  narrowed,
  type Plan,
  Principal,
  sharedAccounts,
} from '../../../kernel/access/principal.ts';
import type { Clock } from '../../../kernel/clock.ts';
import type { Rows } from '../../../kernel/database/database.ts';
import { CredentialsExpired } from '../authentication.errors.ts';
import { accountsOfUser, grantsOf, platformGrants } from '../granting/user-roles.ts';
import { AccessRules, type RequestOrigin, type Restricting } from '../restrictions/access.rules.ts';
import type { CountryLocator } from '../restrictions/country-locator.ts';
import type { AccessTokenClaims, AccessTokens } from '../tokens/access-token.ts';
import { type PlatformAccess, UserRole, UserStatus } from '../user.states.ts';
import { requireOpenAccount } from './account-scope.ts';
import type { Authenticated } from './authenticated.ts';
import type { ChangeFeed } from './change-feed.ts';
import { CredentialCache, type Found } from './credential-cache.ts';

const CACHED_TOKENS = 10_000;

interface KnownToken {
  expiresAt: Date;
  authenticated: Authenticated;
  /**
   * Result of the verification while the session is elevated by a second factor. It must not be used after `until`,
   * when the elevation ends.
   */
  elevated: { until: Date; authenticated: Authenticated } | undefined;
  /** Restrictions that the organization sets for its users. */
  rules: AccessRules | undefined;
}

/** Current database state of the user, session, client and organization that the claims of a token refer to. */
interface TokenState {
  plan: Plan;
  second_factor_required: boolean;
  operator: boolean;
  platform_access: PlatformAccess | null;
  role: UserRole | null;
  user_status: UserStatus | null;
  user_accounts: string[] | null;
  second_factor: boolean | null;
  session_id: string | null;
  session_ended: Date | null;
  session_expires: Date | null;
  elevated_until: Date | null;
  client_active: boolean | null;
  client_permissions: Grant[] | null;
  client_accounts: string[] | null;
  is_revoked: boolean;
  restrictions: { ip_whitelist: string[]; time_windows: Restricting['timeWindows']; countries: string[] } | null;
}

/** Reads the state by the ids of organization, user, token, session and client. */
export const TOKEN_STATE = `select o."plan", o."second_factor_required", o."operator", u."platform_access", u."role", u."status" as "user_status", u."accounts" as "user_accounts", u."second_factor",
    s."id" as "session_id", s."ended_at" as "session_ended", s."expires_at" as "session_expires", e."until" as "elevated_until",
    c."active" as "client_active", c."permissions" as "client_permissions",
    c."accounts" as "client_accounts",
    exists (select 1 from "identity"."revoked_token" r where r."id" in ($3, $4)) as "is_revoked",
    to_jsonb(x) as "restrictions"
  from "identity"."organization" o
  left join "identity"."user" u on u."id" = $2 and u."organization_id" = o."id"
  left join "identity"."session" s on s."id" = $4 and s."user_id" = u."id"
  left join "identity"."user_restrictions" x on x."id" = o."id"
  left join "identity"."elevation" e on e."id" = $4 and e."user_id" = u."id"
  left join "identity"."oauth_client" c on c."id" = $5 and c."organization_id" = o."id"
  where o."id" = $1`;

/**
 * Verifies access tokens of this platform (specification 5.4). Checks signature, expiry and revocation. Also checks
 * that the user, session and client of the token are active.
 */
export class AccessTokenVerifier {
  readonly #known: CredentialCache<KnownToken>;

  constructor(
    private readonly rows: Rows,
    private readonly clock: Clock,
    private readonly tokens: AccessTokens,
    private readonly locator: CountryLocator,
    feed: ChangeFeed,
  ) {
    this.#known = new CredentialCache(feed, CACHED_TOKENS);
  }

  /**
   * Verifies a token and checks the access restrictions for its caller.
   * @throws InvalidCredentials, CredentialsExpired, IpNotAllowed, AccessRestricted
   */
  async verify({ token, ip, country }: Pick<ShownToken, 'token'> & RequestOrigin): Promise<Authenticated> {
    const known = await this.#find(token);
    const now = this.clock.now();
    known.rules?.check({ ip, country }, now);
    return presentOf(known, now);
  }

  /**
   * Verifies a token for introspection. Does not check the access restrictions.
   * @throws InvalidCredentials, CredentialsExpired
   */
  async inspect(token: string): Promise<Authenticated> {
    return presentOf(await this.#find(token), this.clock.now());
  }

  async #find(token: string): Promise<KnownToken> {
    const digest = hash('sha256', token, 'hex');
    const found = this.#known.get(digest, () => this.#load(token));
    const known = found instanceof Promise ? await found : found;
    if (!known) throw new InvalidCredentials();
    if (known.expiresAt <= this.clock.now())
      throw new CredentialsExpired(known.expiresAt, 'The access token has expired. Get another one.');
    return known;
  }

  async #load(token: string): Promise<Found<KnownToken> | undefined> {
    const claims = await this.tokens.verify(token);
    const { jti, sub, sid = '', client_id: clientId = '', organization_id: organizationId } = claims;
    const [state] = await this.rows.query<TokenState>(TOKEN_STATE, [organizationId, sub, jti, sid, clientId]);
    if (!state) return undefined;
    if (state.is_revoked) throw new InvalidCredentials(undefined, 'revoked');
    // the client must be active for its own tokens and for tokens with which it acts for a user
    if (clientId && !state.client_active) throw new InvalidCredentials(undefined, 'client is not active');
    if (sub !== clientId) this.#checkUser(state, claims);
    const accounts = presentAccounts(claims, state);
    await requireOpenAccount(this.rows, organizationId, accounts);
    return {
      value: knownToken(claims, { ...state, accounts }, this.#rulesOf(state)),
      subjects: [jti, sid, sub, clientId, organizationId, ...(accounts ?? [])].filter(Boolean),
    };
  }

  #rulesOf({ restrictions }: TokenState): AccessRules | undefined {
    if (!restrictions) return undefined;
    const { ip_whitelist: ipWhitelist, time_windows: timeWindows, countries } = restrictions;
    return AccessRules.of({ ipWhitelist, timeWindows, countries }, this.locator);
  }

  #checkUser({ user_status, session_id, session_ended, session_expires }: TokenState, { sid }: AccessTokenClaims): void {
    if (user_status !== UserStatus.ACTIVE) throw new InvalidCredentials(undefined, 'user is not active');
    if (!sid?.startsWith('sess_')) return;
    if (!session_id || session_ended || !session_expires || new Date(session_expires) <= this.clock.now())
      throw new InvalidCredentials('The session has ended. Log in again.', 'session has ended');
  }
}

const presentOf = ({ elevated, authenticated }: KnownToken, now: Date): Authenticated =>
  elevated && elevated.until > now ? elevated.authenticated : authenticated;

function knownToken(claims: AccessTokenClaims, state: TokenState & { accounts: Accounts }, rules: AccessRules | undefined): KnownToken {
  const { sub: id, sid: sessionId, client_id: clientId, organization_id: organizationId } = claims;
  const { plan, accounts } = state;
  const grants = presentGrants(claims, state);
  if (id === clientId) {
    const principal = new Principal({ kind: 'client', id, organizationId, plan, grants, accounts, sessionId });
    const authenticated: Authenticated = { principal, rateLimit: null, method: 'jwt' };
    return { expiresAt: new Date(claims.exp * 1000), authenticated, elevated: undefined, rules: undefined };
  }
  const data = { kind: 'user' as const, id, organizationId, plan, grants, accounts, sessionId, clientId };
  const isEnrolled = state.second_factor || state.second_factor_required;
  const asPrincipal = (needsSecondFactor: boolean | 'platform'): Authenticated => ({
    principal: new Principal({ ...data, needsSecondFactor }),
    rateLimit: null,
    method: 'jwt',
  });
  return {
    expiresAt: new Date(claims.exp * 1000),
    rules,
    authenticated: asPrincipal(isEnrolled ? true : grants.some(isPlatformPermission) && 'platform'),
    // PGlite returns the timestamp as text
    elevated: state.elevated_until ? { until: new Date(state.elevated_until), authenticated: asPrincipal(false) } : undefined,
  };
}

/**
 * Returns the accounts that a token is limited to now. A client's own token has the accounts of the client. A user's
 * token has the accounts of the user. A token with which a client acts for a user has only the accounts that both have.
 */
function presentAccounts({ sub, client_id: clientId }: AccessTokenClaims, state: TokenState): Accounts {
  const { role, user_accounts: ofUser, client_accounts: ofClient } = state;
  if (sub === clientId) return ofClient;
  return sharedAccounts(accountsOfUser({ role: role ?? UserRole.READ_ONLY, accounts: ofUser }), clientId ? ofClient : null);
}

/**
 * Returns the permissions that a token has now. If a role or client loses permissions after the token was issued, the
 * token immediately loses them too.
 */
function presentGrants(
  { sub, client_id: clientId, organization_id: organizationId, permissions }: AccessTokenClaims,
  { plan, role, client_permissions, operator, platform_access }: TokenState,
): Grant[] {
  const within = (held: Grant[], grants: readonly Grant[]): Grant[] =>
    narrowed(held, new Principal({ kind: 'user', id: sub, organizationId, plan, grants }));
  const ofClient = clientId ? within(permissions, client_permissions ?? []) : permissions;
  if (sub === clientId) return ofClient;
  const ofRole = within(ofClient, grantsOf(role ?? UserRole.READ_ONLY));
  // tokens never contain platform permissions, and clients never get these permissions: they are loaded here for users
  // who logged in themselves
  return operator && !clientId ? [...ofRole, ...platformGrants(platform_access)] : ofRole;
}
