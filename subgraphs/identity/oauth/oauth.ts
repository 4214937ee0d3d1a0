import type { FastifyInstance } from 'fastify';
import type { Plan } from '../../../kernel/access/principal.ts';
import type { Secrets } from '../../../kernel/access/secrets.ts';
import type { Clock } from '../../../kernel/clock.ts';
import type { Orm, Rows } from '../../../kernel/database/database.ts';
import type { Logger } from '../../../kernel/log/log.ts';
import type { AuditTrail } from '../audit/audit-trail.ts';
import type { Authenticator } from '../authentication/authenticator.ts';
import type { ChangeFeed } from '../authentication/change-feed.ts';
import { mountPasswordPages } from '../pages/password.routes.ts';
import type { PasswordService } from '../passwords/password.service.ts';
import type { KnownPlaces } from '../sessions/known-places.ts';
import type { LoginService } from '../sessions/login.service.ts';
import type { AccessTokens } from '../tokens/access-token.ts';
import type { KeyRing } from '../tokens/key-ring.ts';
import { AuthorizationServer } from './authorization.server.ts';
import { mountInteractions } from './interaction.routes.ts';
import { Interactions } from './interactions.ts';
import { mountOAuth } from './oauth.routes.ts';
import { OAuthStore } from './oauth.store.ts';
import { OAuthAudit } from './oauth-audit.ts';
import type { SecondFactorGate } from './second-factor-gate.ts';
import { TokenResponses } from './token-responses.ts';

export interface OAuthParts {
  orm: Orm;
  rows: Rows;
  clock: Clock;
  log: Logger;
  secrets: Secrets;
  feed: ChangeFeed;
  trail: AuditTrail;
  ring: KeyRing;
  tokens: AccessTokens;
  authenticator: Authenticator;
  login: LoginService;
  places: KnownPlaces;
  passwords: PasswordService;
  gate: SecondFactorGate;
  requestsPerMinute(plan: Plan): number;
}

/** OAuth 2.0 (specification 5.3), with the pages for sign-in, consent and password changes. There is one instance per process. */
export class OAuth {
  readonly store: OAuthStore;
  readonly #server: AuthorizationServer;
  readonly #interactions: Interactions;

  constructor(private readonly parts: OAuthParts) {
    const audit = new OAuthAudit(parts.trail);
    this.store = new OAuthStore(parts);
    const answers = new TokenResponses({ ...parts, store: this.store });
    this.#server = new AuthorizationServer({ ...parts, addresses: parts.tokens.addresses, store: this.store, answers, audit });
    this.#interactions = new Interactions({ ...parts, server: this.#server, audit });
  }

  /** Mounts the endpoints and pages. The edge must be mounted first. */
  async mount(app: FastifyInstance): Promise<void> {
    await mountOAuth(app, this.#server);
    await mountInteractions(app, this.#interactions);
    await mountPasswordPages(app, this.parts.passwords);
  }
}
