import type { Principal } from '../../kernel/access/principal.ts';
import { AnalyticsReads } from '../../kernel/analytics/analytics-reads.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { EntityManager } from '../../kernel/database/database.ts';
import { once } from '../../kernel/once.ts';
import { loadersOf } from '../../kernel/records/loaders.ts';
import { organizationEm } from '../../kernel/records/organization-filter.ts';
import type { ClientInfo, RequestContext } from '../../kernel/request.ts';
import { AccountService } from './accounts/account.service.ts';
import { AccountScopes } from './accounts/account-scopes.ts';
import { ApiKeyService } from './api-keys/api-key.service.ts';
import { AuditService } from './audit/audit.service.ts';
import { CertificateService } from './certificates/certificate.service.ts';
import type { IdentityCore } from './core.ts';
import { TrustedIssuerService } from './issuers/trusted-issuer.service.ts';
import type { MfaService } from './mfa/mfa.service.ts';
import type { MfaChallenges } from './mfa-challenges/challenge.service.ts';
import type { Verification } from './mfa-challenges/challenge-verification.ts';
import { OAuthClientService } from './oauth-clients/oauth-client.service.ts';
import { OperatorService } from './operator/operator.service.ts';
import type { PlatformAccesses } from './operator/platform-access.ts';
import { OrganizationService } from './organizations/organization.service.ts';
import type { PasswordService } from './passwords/password.service.ts';
import { UserRestrictionsService } from './restrictions/user-restrictions.service.ts';
import { SamlConnectionService } from './saml-connections/saml-connection.service.ts';
import type { LoginService } from './sessions/login.service.ts';
import { SessionService } from './sessions/session.service.ts';
import type { Sessions } from './sessions/sessions.ts';
import { RequestAnalyticsService } from './usage/request-analytics.service.ts';
import { UsageService } from './usage/usage.service.ts';
import { UserService } from './users/user.service.ts';

/** Services and loaders for the resolvers of one request, each created on first use. */
export class IdentityContext {
  readonly principal: Principal;
  readonly client: ClientInfo | undefined;
  readonly clock: Clock;
  readonly #core: IdentityCore;

  constructor(
    core: IdentityCore,
    readonly request: RequestContext,
  ) {
    this.principal = request.principal;
    this.client = request.client;
    this.clock = core.ports.clock;
    this.#core = core;
  }

  @once get loaders() {
    return loadersOf(this.#core.readers, this.principal);
  }

  get origin(): string {
    return this.#core.ports.origin;
  }

  @once get organizations(): OrganizationService {
    return new OrganizationService(this.shared);
  }

  @once get operator(): OperatorService {
    const { passwords, saml, closing, exports } = this.#core;
    return new OperatorService({ ...this.shared, passwords, samlDomains: saml.domains, closing, exports });
  }

  get platformAccesses(): PlatformAccesses {
    return this.#core.access;
  }

  @once get accounts(): AccountService {
    const { graph } = this.#core.ports;
    return new AccountService({ ...this.shared, graph, loader: this.loaders.accounts });
  }

  @once get users(): UserService {
    const { passwords, sessions } = this.#core;
    return new UserService({ ...this.shared, scopes: this.scopes, accounts: this.loaders.accounts, passwords, sessions });
  }

  @once get apiKeys(): ApiKeyService {
    const { ports, locator, apiKeySecrets: secrets } = this.#core;
    return new ApiKeyService({ ...this.shared, scopes: this.scopes, sandbox: ports.sandbox, secrets, locator });
  }

  @once get certificates(): CertificateService {
    const { clientAuthorities: authorities } = this.#core.ports;
    return new CertificateService({ ...this.shared, scopes: this.scopes, authorities, loader: this.loaders.certificates });
  }

  @once get oauthClients(): OAuthClientService {
    return new OAuthClientService({ ...this.shared, scopes: this.scopes });
  }

  @once get trustedIssuers(): TrustedIssuerService {
    const { guard, tokens } = this.#core;
    return new TrustedIssuerService({ ...this.shared, scopes: this.scopes, guard, ownIssuer: tokens.addresses.issuer });
  }

  @once get samlConnections(): SamlConnectionService {
    const { metadata, addresses, domains } = this.#core.saml;
    return new SamlConnectionService({ ...this.shared, scopes: this.scopes, metadata, addresses, domains });
  }

  @once get userRestrictions(): UserRestrictionsService {
    return new UserRestrictionsService({ ...this.shared, locator: this.#core.locator });
  }

  @once get sessions(): SessionService {
    return new SessionService({ ...this.shared, sessions: this.#core.sessions });
  }

  get allSessions(): Sessions {
    return this.#core.sessions;
  }

  get login(): LoginService {
    return this.#core.login;
  }

  get passwords(): PasswordService {
    return this.#core.passwords;
  }

  get mfa(): MfaService {
    return this.#core.mfa.methods;
  }

  get mfaChallenges(): MfaChallenges {
    return this.#core.mfa.challenges;
  }

  get verification(): Verification {
    return this.#core.mfa.verification;
  }

  @once get audit(): AuditService {
    return new AuditService(this.em);
  }

  @once get usage(): UsageService {
    const { rows, rateLimits } = this.#core.ports;
    return new UsageService(rows, this.request, rateLimits);
  }

  @once get requestAnalytics() {
    const service = new RequestAnalyticsService({ rows: this.#core.ports.rows, principal: this.principal, clock: this.clock });
    return new AnalyticsReads((range) => service.read(range));
  }

  @once private get scopes(): AccountScopes {
    return new AccountScopes(this.principal, this.loaders.accounts);
  }

  @once private get em(): EntityManager {
    return organizationEm(this.#core.ports.orm, this.principal);
  }

  /** Dependencies that most services of the identity domain need. */
  @once private get shared() {
    const { ports, trail, feed } = this.#core;
    return { em: this.em, request: this.request, clock: ports.clock, trail, feed };
  }
}
