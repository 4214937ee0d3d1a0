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
 * Completes the responses of the token endpoints of the library oidc-provider. Token responses get the fields of
 * specification 2.3: `user_id`, and a refresh token only if it is new. If a client introspects (RFC 7662) or revokes
 * (RFC 7009) a JWT access token, the library authenticates the client, but then refuses the token type. This class then
 * introspects or revokes the token itself, and sends the result instead of the refusal.
 */
export class TokenResponses {
  readonly #refusedJwts = new WeakSet<object>();

  constructor(private readonly parts: TokenResponsesParts) {}

  /** Handles the library's events `introspection.error` and `revocation.error`. */
  noteRefusal(ctx: KoaContextWithOIDC, error: Error): void {
    if (error instanceof errors.UnsupportedTokenType) this.#refusedJwts.add(ctx);
  }

  /** Replaces the refusal of a JWT by the result of the request, and completes a successful token response. */
  async complete(ctx: KoaContextWithOIDC): Promise<void> {
    if (this.#refusedJwts.has(ctx)) return ctx.oidc.route === 'revocation' ? this.#revoke(ctx) : this.#introspect(ctx);
    if (ctx.oidc.route === 'token' && ctx.status === 200) completeResponse(ctx);
  }

  async #introspect(ctx: KoaContextWithOIDC): Promise<void> {
    const claims = await this.#visible(ctx);
    answer(ctx, claims ? { active: true, token_type: 'Bearer', ...claims } : { active: false });
  }

  /**
   * Revokes a token of the client. A token of another client is not revoked, but the response is the same (RFC 7009,
   * 2.1).
   */
  async #revoke(ctx: KoaContextWithOIDC): Promise<void> {
    const claims = await this.#claims(ctx);
    if (claims && claims.client_id === ctx.oidc.client?.clientId) await this.parts.store.revokeToken(claims.jti);
    answer(ctx, '');
  }

  /** Returns the claims of a token if the token is valid now and the client may introspect it. */
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

/** Returns the result of `asking`, or undefined if it fails with a PlatformError. */
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
  // the client already has the refresh token of the response, unless the token was rotated
  if (grantType === 'refresh_token' && !ctx.oidc.entities.RotatedRefreshToken) delete body.refresh_token;
}
