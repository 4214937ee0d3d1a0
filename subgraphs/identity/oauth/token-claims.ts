import type { AccessToken, ClientCredentials, KoaContextWithOIDC } from 'oidc-provider';
import { narrowed, type Plan, scopeOf } from '../../../kernel/access/principal.ts';
import type { Clock } from '../../../kernel/clock.ts';
import { newId } from '../../../kernel/records/ids.ts';
import { ACCESS_TOKEN_SECONDS } from '../tokens/access-token.ts';
import { clientStateOf } from './oauth-client-source.ts';
import type { OAuthAccount } from './oauth-users.ts';
import { grantsIn, scopesIn } from './scopes.ts';

type Token = AccessToken | ClientCredentials;

/** A JWT before it is signed, in the form in which the provider passes it to the customizer. */
interface Unsigned {
  header: object | undefined;
  payload: Record<string, unknown>;
}

/**
 * Adds the claims of specification 2.3 to the provider's access tokens. A token gets the requested permissions that the user still has. The
 * provider has already limited the permissions to the permissions of the client.
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
  // the token response also contains `token.scope`
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
