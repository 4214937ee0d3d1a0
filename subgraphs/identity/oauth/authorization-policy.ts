import type { ResourceServer } from 'oidc-provider';
import { errors, interactionPolicy, type KoaContextWithOIDC } from 'oidc-provider';
import { ACCESS_TOKEN_SECONDS } from '../tokens/access-token.ts';
import { clientStateOf, holderOf } from './oauth-client-source.ts';
import type { OAuthAccount } from './oauth-users.ts';
import { scopesIn, scopesWithin } from './scopes.ts';

const { InvalidScope, InvalidTarget } = errors;
const { Check, base } = interactionPolicy;

type Client = NonNullable<KoaContextWithOIDC['oidc']['client']>;

/**
 * Describes the API as a resource server for a client, with the scopes that the client may request. A request for
 * another scope fails with `invalid_scope`. A request without scopes gets all scopes of the client (RFC 6749, 3.3).
 */
export function resourceOf(ctx: KoaContextWithOIDC, resource: string, client: Client, audience: string, kid: string): ResourceServer {
  if (resource !== audience) throw new InvalidTarget();
  const state = clientStateOf(client);
  const within = scopesWithin(holderOf(state));
  const { route, params } = ctx.oidc;
  const isAsked = route !== 'token' || params?.grant_type === 'client_credentials';
  if (isAsked && params) {
    const beyond = scopesIn(params.scope as string | undefined).find((scope) => !within.includes(scope));
    if (beyond) throw new InvalidScope('requested scope is not allowed', beyond);
    params.scope ??= state.permissions.map((permission) => permission.replace(':', '.')).join(' ');
  }
  return {
    scope: within.join(' '),
    audience,
    accessTokenFormat: 'jwt',
    accessTokenTTL: ACCESS_TOKEN_SECONDS,
    jwt: { sign: { alg: 'RS256', kid } },
  } as ResourceServer;
}

/**
 * Returns the prompts of oidc-provider (login, consent) with an additional check: only users of the client's
 * organization may use the client.
 */
export function authorizationPolicy() {
  const policy = base();
  policy.get('login')?.checks.add(
    new Check('other_organization', 'the user may not use this client', 'access_denied', (ctx) => {
      const { account, client, session } = ctx.oidc;
      if (!session?.accountId || !client) return Check.NO_NEED_TO_PROMPT;
      const isOurs = (account as OAuthAccount | undefined)?.user.organizationId === clientStateOf(client).organizationId;
      return isOurs ? Check.NO_NEED_TO_PROMPT : Check.REQUEST_PROMPT;
    }),
  );
  return policy;
}
