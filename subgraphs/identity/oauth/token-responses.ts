import type { KoaContextWithOIDC } from 'oidc-provider';
import { errors } from 'oidc-provider';
import { PlatformError } from '../../../kernel/errors/errors.ts';
import type { Authenticator } from '../authentication/authenticator.ts';
import type { AccessTokenClaims, AccessTokens } from '../tokens/access-token.ts';
import type { OAuthStore } from './oauth.store.ts';
import { clientStateOf } from './oauth-client-source.ts';

export interface TokenResponsesParts {
  tokens: AccessTokens;
  store: OAuthStore;
  authenticator: Authenticator;
}

/**
 * What the library does not do with tokens: the response of specification 2.3 (`user_id`, and a refresh token only where one is
 * new), and access tokens that are JWTs at introspection (RFC 7662) and revocation (RFC 7009). Those it refuses, after it has
 * authenticated the client: the refusal is answered over.
 */
export class TokenResponses {
  readonly #refusedJwts = new WeakSet<object>();

  constructor(private readonly parts: TokenResponsesParts) {}

  /** For the library's events `introspection.error` and `revocation.error`. */
  noteRefusal(ctx: KoaContextWithOIDC, error: Error): void {
    if (error instanceof errors.UnsupportedTokenType) this.#refusedJwts.add(ctx);
  }

  /** After the library has answered. */
  async complete(ctx: KoaContextWithOIDC): Promise<void> {
    if (this.#refusedJwts.has(ctx)) return ctx.oidc.route === 'revocation' ? this.#revoke(ctx) : this.#introspect(ctx);
    if (ctx.oidc.route === 'token' && ctx.status === 200) completeResponse(ctx);
  }

  async #introspect(ctx: KoaContextWithOIDC): Promise<void> {
    const claims = await this.#visible(ctx);
    answer(ctx, claims ? { active: true, token_type: 'Bearer', ...claims } : { active: false });
  }

  /** Of another client's token the answer is the same, and nothing is done (RFC 7009, 2.1). */
  async #revoke(ctx: KoaContextWithOIDC): Promise<void> {
    const claims = await this.#claims(ctx);
    if (claims && claims.client_id === ctx.oidc.client?.clientId) await this.parts.store.revokeToken(claims.jti);
    answer(ctx, '');
  }

  /** The claims of a token that would be accepted now, and that the client may know of. */
  async #visible(ctx: KoaContextWithOIDC): Promise<AccessTokenClaims | undefined> {
    const { client } = ctx.oidc;
    const claims = await this.#claims(ctx);
    if (!claims || !client) return undefined;
    const isOwn = claims.client_id === client.clientId;
    const isPublic = client.tokenEndpointAuthMethod === 'none';
    if (!isOwn && (isPublic || claims.organization_id !== clientStateOf(client).organizationId)) return undefined;
    return (await this.#isAccepted(ctx)) ? claims : undefined;
  }

  async #claims(ctx: KoaContextWithOIDC): Promise<AccessTokenClaims | undefined> {
    return orUndefined(this.parts.tokens.verify(String(ctx.oidc.params?.token)));
  }

  async #isAccepted(ctx: KoaContextWithOIDC): Promise<boolean> {
    return (await orUndefined(this.parts.authenticator.inspect(String(ctx.oidc.params?.token)))) !== undefined;
  }
}

/** A refusal is an answer here. */
async function orUndefined<T>(asking: Promise<T>): Promise<T | undefined> {
  try {
    return await asking;
  } catch (error) {
    if (error instanceof PlatformError) return undefined;
    throw error;
  }
}

function answer(ctx: KoaContextWithOIDC, body: object | ''): void {
  ctx.status = 200;
  ctx.body = body;
}

function completeResponse(ctx: KoaContextWithOIDC): void {
  const body = ctx.body as Record<string, unknown>;
  const { grant_type: grantType } = ctx.oidc.params ?? {};
  if (grantType === 'authorization_code') body.user_id = ctx.oidc.account?.accountId;
  // it has the one it showed, unless that was exchanged for a new one
  if (grantType === 'refresh_token' && !ctx.oidc.entities.RotatedRefreshToken) delete body.refresh_token;
}
