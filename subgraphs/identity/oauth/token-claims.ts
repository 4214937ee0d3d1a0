import type { AccessToken, ClientCredentials, KoaContextWithOIDC } from 'oidc-provider';
import { narrowed, type Plan, scopeOf } from '../../../kernel/access/principal.ts';
import type { Clock } from '../../../kernel/clock.ts';
import { newId } from '../../../kernel/records/ids.ts';
import { ACCESS_TOKEN_SECONDS } from '../tokens/access-token.ts';
import { clientStateOf } from './oauth-client-source.ts';
import type { OAuthAccount } from './oauth-users.ts';
import { grantsIn, scopesIn } from './scopes.ts';

type Token = AccessToken | ClientCredentials;

/** A JWT before it is signed, as the library hands it out. */
interface Unsigned {
  header: object | undefined;
  payload: Record<string, unknown>;
}

/**
 * Makes the library's access tokens those of specification 2.3. What a token may do is what it was asked for, within what the
 * client may ask for (the library has seen to that) and what the user may do now.
 */
export function completeToken(
  ctx: KoaContextWithOIDC,
  token: Token,
  jwt: Unsigned,
  { clock, requestsPerMinute }: { clock: Clock; requestsPerMinute(plan: Plan): number },
): void {
  const { client, account } = ctx.oidc;
  if (!client) throw new Error('A token is issued to a client.');
  const { organizationId, plan, grantId } = clientStateOf(client);
  const asked = grantsIn(scopesIn(token.scope));
  const holder = (account as OAuthAccount | undefined)?.holder;
  const permissions = holder ? narrowed(asked, holder) : asked;
  // the answer to the token request says what the token says
  token.scope = permissions.map(scopeOf).join(' ');
  const now = Math.floor(clock.now().getTime() / 1000);
  jwt.header = { typ: 'JWT' };
  Object.assign(jwt.payload, {
    jti: newId('token'),
    iat: now,
    nbf: now,
    exp: now + ACCESS_TOKEN_SECONDS,
    scope: token.scope,
    permissions,
    organization_id: organizationId,
    rate_limit: { requests_per_minute: requestsPerMinute(plan) },
    sid: ('grantId' in token && token.grantId) || grantId,
  });
}
