import type { Configuration, KoaContextWithOIDC } from 'oidc-provider';
import { derivedKey } from '../../../kernel/access/secret-box.ts';
import type { RingKey } from '../tokens/key-ring.ts';
import type { AuthorizationServerParts } from './authorization.server.ts';
import { authorizationPolicy, resourceOf } from './authorization-policy.ts';
import { lifetimes } from './lifetimes.ts';
import { CLIENT_STATE, clientAdapter, clientStateOf } from './oauth-client-source.ts';
import { findAccount } from './oauth-users.ts';
import { paths } from './paths.ts';
import { confirmPage, connectedPage, errorPage, inputPage, loggedOutPage, logoutQuestion } from './provider.page.ts';
import { withRegisteredRedirects } from './registered-redirects.ts';
import { completeToken } from './token-claims.ts';

/** Configuration of oidc-provider. It contains only settings in which the platform differs from the certified defaults. */
export function configurationOf(parts: AuthorizationServerParts, keys: readonly RingKey[]): Configuration {
  const { addresses, store, orm, rows, secrets } = parts;
  const [signing] = keys;
  if (!signing) throw new Error('There is no signing key.');
  const isSecure = addresses.issuer.startsWith('https:');
  const cookie = { httpOnly: true, sameSite: 'lax', secure: isSecure, signed: true } as const;
  const clients = clientAdapter(rows);
  return {
    adapter: (kind: string) => (kind === 'Client' ? clients : withRegisteredRedirects(kind, store.adapterOf(kind), clients)),
    clientAuthMethods: ['client_secret_basic', 'client_secret_post', 'none'],
    clientBasedCORS: (_, origin, { tokenEndpointAuthMethod, redirectUris = [] }) =>
      tokenEndpointAuthMethod === 'none' && redirectUris.some((uri) => new URL(uri).origin === origin),
    cookies: {
      keys: secrets.keys.map((key) => derivedKey(key, 'oauth-cookies').toString('base64url')),
      names: { session: 'oauth_session', interaction: 'oauth_interaction', resume: 'oauth_resume' },
      long: { ...cookie, path: '/oauth' },
      short: cookie,
    },
    enabledJWA: { idTokenSigningAlgValues: ['RS256'] },
    // a grant stays valid when the user's session on the authorization server's pages ends
    expiresWithSession: () => false,
    extraClientMetadata: { properties: [CLIENT_STATE] },
    features: featuresOf(parts, signing.kid),
    findAccount: (_, id) => findAccount(orm, id),
    formats: { customizers: { jwt: async (ctx, token, jwt) => completeToken(ctx, token, jwt as never, parts) as never } },
    interactions: { policy: authorizationPolicy(), url: (_, { uid }) => `${paths.interaction}/${uid}` },
    issueRefreshToken: async (_, client) => client.grantTypeAllowed('refresh_token'),
    jwks: { keys: keys.map(({ privateJwk }) => privateJwk) } as Configuration['jwks'],
    pkce: { required: () => true },
    renderError: errorPage,
    responseTypes: ['code'],
    // a confidential client's refresh token is bound to its secret and is not rotated (RFC 9700, 4.14.2)
    rotateRefreshToken: ({ oidc: { client } }) => client?.tokenEndpointAuthMethod === 'none',
    routes: {
      authorization: paths.authorize,
      token: paths.token,
      introspection: paths.introspect,
      revocation: paths.revoke,
      device_authorization: paths.deviceAuthorization,
      code_verification: paths.device,
      end_session: paths.logout,
      jwks: paths.jwks,
    },
    scopes: [],
    ttl: lifetimes,
  };
}

function featuresOf({ addresses: { audience } }: AuthorizationServerParts, kid: string): Configuration['features'] {
  return {
    clientCredentials: { enabled: true },
    devInteractions: { enabled: false },
    deviceFlow: {
      enabled: true,
      charset: 'base-20',
      mask: '****-****',
      deviceInfo: () => ({}),
      userCodeInputSource: inputPage,
      userCodeConfirmSource: confirmPage,
      successSource: connectedPage,
    },
    dPoP: { enabled: false },
    introspection: { enabled: true, allowedPolicy: (ctx, client, token) => isOfSameOrganization(ctx, client, token.clientId) },
    pushedAuthorizationRequests: { enabled: false },
    resourceIndicators: {
      enabled: true,
      defaultResource: () => audience,
      getResourceServerInfo: (ctx, resource, client) => resourceOf(ctx, resource, client, audience, kid),
      useGrantedResource: () => true,
    },
    revocation: { enabled: true, allowedPolicy: (_ctx, client, token) => client.clientId === token.clientId },
    rpInitiatedLogout: { enabled: true, logoutSource: logoutQuestion, postLogoutSuccessSource: loggedOutPage },
    userinfo: { enabled: false },
  };
}

/**
 * Allows a confidential client to introspect all tokens of its organization. A public client may only introspect its
 * own tokens, because anybody can impersonate a public client.
 */
async function isOfSameOrganization(
  ctx: KoaContextWithOIDC,
  client: NonNullable<KoaContextWithOIDC['oidc']['client']>,
  id: string | undefined,
) {
  if (id === client.clientId) return true;
  if (client.tokenEndpointAuthMethod === 'none' || !id) return false;
  const other = await ctx.oidc.provider.Client.find(id);
  return other !== undefined && clientStateOf(other).organizationId === clientStateOf(client).organizationId;
}
