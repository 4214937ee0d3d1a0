import type { FastifyInstance } from 'fastify';
import type { Domain, RunningDomain } from '../../kernel/domain.ts';
import { buildSubgraph } from '../../kernel/graphql/build-subgraph.ts';
import type { RequestContext } from '../../kernel/request.ts';
import { Account } from './accounts/account.entity.ts';
import { AccountResolver } from './accounts/account.resolver.ts';
import { accountByReference } from './accounts/account-reference.ts';
import { ApiKey } from './api-keys/api-key.entity.ts';
import { ApiKeyResolver } from './api-keys/api-key.resolver.ts';
import { AuditResolver } from './audit/audit.resolver.ts';
import { AuditRecord } from './audit/audit-record.entity.ts';
import { catalogChanged } from './audit/catalog-changed.reaction.ts';
import { ticketLinksRevoked } from './audit/ticket-links-revoked.reaction.ts';
import type { Authenticator } from './authentication/authenticator.ts';
import { type Bootstrapped, bootstrap, type Presets } from './bootstrap.ts';
import { Certificate } from './certificates/certificate.entity.ts';
import { CertificateResolver } from './certificates/certificate.resolver.ts';
import { mountConsole } from './console/console.routes.ts';
import { IdentityContext } from './context.ts';
import { createCore, type IdentityCore, type IdentityPorts } from './core.ts';
import { type CreatedOrganization, createOrganization, type NewOrganization } from './create-organization.ts';
import { TrustedIssuer } from './issuers/trusted-issuer.entity.ts';
import { TrustedIssuerResolver } from './issuers/trusted-issuer.resolver.ts';
import { integrationDisabled } from './mail/integration-disabled.reaction.ts';
import { webhookDisabled } from './mail/webhook-disabled.reaction.ts';
import { BackupCode } from './mfa/backup-code.entity.ts';
import { MfaResolver } from './mfa/mfa.resolver.ts';
import { MfaMethod } from './mfa/mfa-method.entity.ts';
import { MfaChallenge } from './mfa-challenges/challenge.entity.ts';
import { MfaChallengeResolver } from './mfa-challenges/challenge.resolver.ts';
import type { Demand } from './mfa-challenges/challenge.service.ts';
import { migrations } from './migrations/index.ts';
import { OAuthClient } from './oauth-clients/oauth-client.entity.ts';
import { OAuthClientResolver } from './oauth-clients/oauth-client.resolver.ts';
import { OperatorResolver, OrganizationAccountResolver, OrganizationExportResolver } from './operator/operator.resolver.ts';
import { OrganizationExport } from './operator/organization-export.entity.ts';
import { mountExportDownloads } from './operator/organization-export.routes.ts';
import { organizationData } from './organization-data.ts';
import { Organization } from './organizations/organization.entity.ts';
import { organizationEvents } from './organizations/organization.events.ts';
import { OrganizationResolver } from './organizations/organization.resolver.ts';
import { OneTimeToken } from './passwords/one-time-token.entity.ts';
import { PasswordResolver } from './passwords/password.resolver.ts';
import { AnalyticsScope } from './references.ts';
import { UserRestrictions } from './restrictions/user-restrictions.entity.ts';
import { UserRestrictionsResolver } from './restrictions/user-restrictions.resolver.ts';
import { SamlAssertion, SamlCode, SamlRequest } from './saml/saml-records.entity.ts';
import { SamlConnection } from './saml-connections/saml-connection.entity.ts';
import { SamlConnectionResolver } from './saml-connections/saml-connection.resolver.ts';
import { SamlDomain } from './saml-domains/saml-domain.entity.ts';
import { SamlDomainClaim } from './saml-domains/saml-domain-claim.entity.ts';
import { sealed, sealedJobs } from './sealed.ts';
import { RefreshToken } from './sessions/refresh-token.entity.ts';
import { Session } from './sessions/session.entity.ts';
import { SessionResolver } from './sessions/session.resolver.ts';
import { SigningKey } from './tokens/signing-key.entity.ts';
import { RequestAnalyticsResolver } from './usage/request-analytics.resolver.ts';
import { usageEvents } from './usage/usage.events.ts';
import { UsageResolver } from './usage/usage.resolver.ts';
import { usageAccounting } from './usage/usage-accounting.ts';
import { User } from './users/user.entity.ts';
import { AccountUsersResolver, UserAccountResolver, UserResolver } from './users/user.resolver.ts';

export interface RunningIdentity extends RunningDomain {
  authenticator: Authenticator;
  core: IdentityCore;
  /** Creates the first administrator at the first start. Returns undefined at every later start. */
  bootstrap(presets: Presets): Promise<Bootstrapped | undefined>;
  createOrganization(input: NewOrganization): Promise<CreatedOrganization>;
  /** Mounts the authorization server and the platform's own pages. The edge must be mounted first. */
  mount(app: FastifyInstance): Promise<void>;
  /** Returns the challenge for a user who must verify a second factor before an operation (specification 2.4). */
  challenge(request: RequestContext): Promise<Demand>;
  /** Starts background work, and receives notifications when other processes change records that credentials depend on. */
  start(): Promise<void>;
  /**
   * Stops background work and writes the counters that are in memory. Call it after the last request and before the
   * database closes.
   */
  stop(): Promise<void>;
}

const samlEntities = [SamlConnection, SamlDomain, SamlDomainClaim, SamlRequest, SamlAssertion, SamlCode];
const mfaEntities = [MfaMethod, BackupCode, MfaChallenge];

const resolvers = [
  OrganizationResolver,
  OperatorResolver,
  OrganizationAccountResolver,
  OrganizationExportResolver,
  AccountResolver,
  AccountUsersResolver,
  UserResolver,
  UserAccountResolver,
  ApiKeyResolver,
  CertificateResolver,
  SessionResolver,
  PasswordResolver,
  AuditResolver,
  UsageResolver,
  RequestAnalyticsResolver,
  SamlConnectionResolver,
  MfaResolver,
  MfaChallengeResolver,
  UserRestrictionsResolver,
  TrustedIssuerResolver,
  OAuthClientResolver,
] as const;

/** The identity domain: organizations, accounts, users, credentials and authentication (specification 4.1, 4.2, 5). */
export const identity: Domain<IdentityPorts, RunningIdentity> = {
  name: 'identity',
  entities: [
    Organization,
    OrganizationExport,
    Account,
    User,
    ApiKey,
    Certificate,
    Session,
    RefreshToken,
    OneTimeToken,
    SigningKey,
    AuditRecord,
    OAuthClient,
    ...samlEntities,
    ...mfaEntities,
    UserRestrictions,
    TrustedIssuer,
  ],
  tablesWithoutEntity: [
    'change',
    'elevation',
    'known_place',
    'login_attempt',
    'oauth_record',
    'organization_plan',
    'request_signature',
    'revoked_token',
  ],
  migrations,
  organizationData,
  events: [...organizationEvents, ...usageEvents],
  sealed,
  sealedJobs,
  start(ports) {
    const core = createCore(ports);
    const accounting = usageAccounting(core, ports.log);
    const mailing = { ...ports, mails: core.mails };
    return {
      subgraph: buildSubgraph<IdentityContext>({
        name: 'identity',
        resolvers,
        orphanedTypes: [AnalyticsScope],
        references: {
          Account: { requires: 'accounts:read', load: (reference, { loaders }) => accountByReference(reference, loaders.accounts) },
        },
        createContext: (request) => new IdentityContext(core, request),
      }),
      reactions: [
        webhookDisabled(mailing),
        integrationDisabled(mailing),
        ticketLinksRevoked({ ...ports, trail: core.trail }),
        catalogChanged({ ...ports, trail: core.trail }),
      ],
      authenticator: core.authenticator,
      core,
      retained: core.retained,
      bootstrap: (presets) => bootstrap(ports, presets),
      createOrganization: (input) => createOrganization(ports, input),
      async start() {
        await core.feed.start();
        accounting.start();
        core.retentionTask.start();
        core.saml.domainCheckTask.start();
        core.deletion.start();
      },
      async mount(app) {
        await core.oauth.mount(app);
        await mountExportDownloads(app, {
          newestOf: (id) => core.exports.newestOf(id),
          contentOf: (one) => core.exports.contentOf(one),
          audit: (request, one) => new IdentityContext(core, request).operator.auditDownload(one),
          demand: (principal) => core.mfa.challenges.demand(principal),
        });
        await mountConsole(app, core.consoleSignIn, ports.origin.startsWith('https:'));
      },
      challenge: ({ principal }) => core.mfa.challenges.demand(principal),
      async stop() {
        await core.retentionTask.stop();
        await core.saml.domainCheckTask.stop();
        await core.deletion.stop();
        core.feed.stop();
        await accounting.stop();
        await core.usage.flush();
        await core.review.settled();
        await core.saml.metadata.close();
        await core.authenticator.stop();
        await core.keySetFetcher.stop();
        await core.trail.flush();
      },
    };
  },
};
