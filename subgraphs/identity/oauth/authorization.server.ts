import { type KoaContextWithOIDC, Provider } from 'oidc-provider';
import { type Plan, scopeOf } from '../../../kernel/access/principal.ts';
import type { Secrets } from '../../../kernel/access/secrets.ts';
import type { Clock } from '../../../kernel/clock.ts';
import type { Orm, Rows } from '../../../kernel/database/database.ts';
import { unavailableFor } from '../../../kernel/database/unavailable.ts';
import type { Logger } from '../../../kernel/log/log.ts';
import { PLAIN_HEADERS } from '../../../kernel/pages/page-headers.ts';
import type { TokenAddresses } from '../tokens/access-token.ts';
import type { KeyRing } from '../tokens/key-ring.ts';
import { newSecret } from '../tokens/secret.ts';
import type { OAuthStore } from './oauth.store.ts';
import type { OAuthAudit } from './oauth-audit.ts';
import { isClientSecret } from './oauth-client-source.ts';
import { loggedOutPage, prefilledPage, unavailableResponse } from './provider.page.ts';
import { configurationOf } from './provider-configuration.ts';
import { ALL_GRANTS } from './scopes.ts';
import type { TokenResponses } from './token-responses.ts';

export interface AuthorizationServerParts {
  addresses: TokenAddresses;
  orm: Orm;
  rows: Rows;
  clock: Clock;
  log: Logger;
  secrets: Secrets;
  ring: KeyRing;
  store: OAuthStore;
  answers: TokenResponses;
  audit: OAuthAudit;
  requestsPerMinute(plan: Plan): number;
}

/**
 * The authorization server (specification 5.3), built on oidc-provider. When the signing keys change, a new provider is
 * created. A provider keeps its state only in the store.
 */
export class AuthorizationServer {
  #made: { kids: string; provider: Provider } | undefined;

  constructor(private readonly parts: AuthorizationServerParts) {}

  get issuer(): string {
    return this.parts.addresses.issuer;
  }

  /** Returns the provider with the current signing keys. */
  async provider(): Promise<Provider> {
    const keys = await this.parts.ring.published();
    const kids = keys.map(({ kid }) => kid).join();
    if (this.#made?.kids !== kids) this.#made = { kids, provider: createProvider(this.parts, keys) };
    return this.#made.provider;
  }
}

function createProvider(parts: AuthorizationServerParts, keys: Parameters<typeof configurationOf>[1]): Provider {
  const { answers, audit, clock, log } = parts;
  const provider = new Provider(parts.addresses.issuer, configurationOf(parts, keys));
  // the provider trusts X-Forwarded-* headers, because oauth.routes.ts overwrites these headers
  provider.proxy = true;
  // `generateTokenId` is not documented by oidc-provider; a test verifies that this override works
  Object.assign(provider.RefreshToken.prototype, { generateTokenId: () => newSecret('rt_') });
  provider.Client.prototype.compareClientSecret = function compare(shown: string) {
    return isClientSecret(this, shown, clock);
  };
  /** Errors for which oidc-provider responds with 500. It reports them as events, and middleware does not receive them. */
  const failures = new WeakMap<object, Error>();
  provider.use(async (ctx, next) => {
    ctx.set(PLAIN_HEADERS);
    await next();
    const unavailable = unavailableFor(failures.get(ctx));
    if (unavailable) await unavailableResponse(ctx as KoaContextWithOIDC, unavailable);
    if (ctx.oidc?.route) await complete(ctx as KoaContextWithOIDC);
  });
  const listen = (events: readonly string[], listener: (ctx: KoaContextWithOIDC, error: Error) => void): void => {
    for (const event of events) provider.on(event as 'server_error', listener as never);
  };
  listen(['introspection.error', 'revocation.error'], (ctx, error) => answers.noteRefusal(ctx, error));
  listen(['grant.error', 'device_authorization.error'], (ctx, error) => audit.refused(ctx, error));
  listen(['server_error'], (ctx, error) => {
    failures.set(ctx, error);
    log.error({ err: error, route: ctx.path, request_id: ctx.response.get('x-request-id') }, 'request failed');
  });
  provider.on('error' as 'server_error', ((error: unknown) => log.error({ err: error }, 'request failed')) as never);
  return provider;

  async function complete(ctx: KoaContextWithOIDC): Promise<void> {
    const { route } = ctx.oidc;
    await answers.complete(ctx);
    if (route === 'discovery' && ctx.status === 200) describeScopes(ctx.body as Record<string, unknown>);
    if (route === 'token' && ctx.status === 200) await audit.issued(ctx);
    // the provider's pages for a linked device code and for a sign-out without a session submit a form with a script;
    // the platform's pages need no script
    if (route === 'code_verification' && ctx.method === 'GET' && ctx.status === 200 && ctx.oidc.params?.user_code) prefilledPage(ctx);
    if (route === 'end_session' && ctx.status === 200 && !ctx.oidc.session?.accountId) await loggedOutPage(ctx);
  }
}

/**
 * Corrects the metadata of oidc-provider: adds the scopes of the API, and removes ID token features that the platform
 * does not use.
 */
function describeScopes(metadata: Record<string, unknown>): void {
  metadata.scopes_supported = ALL_GRANTS.map(scopeOf);
  for (const name of ['claims_supported', 'claim_types_supported', 'claims_parameter_supported']) delete metadata[name];
}
