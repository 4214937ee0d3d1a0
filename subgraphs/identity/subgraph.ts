import type { FastifyInstance } from 'fastify';
import type { Domain, RunningDomain } from '../../kernel/domain.ts';
import { buildSubgraph } from '../../kernel/graphql/build-subgraph.ts';
import { RecordReader } from '../../kernel/loaders.ts';
import { organizationEm } from '../../kernel/organization.filter.ts';
import type { RequestContext } from '../../kernel/request.ts';
import type { Subgraph } from '../../kernel/subgraph.ts';
import { Account } from './accounts/account.entity.ts';
import { accountByReference } from './accounts/account.reference.ts';
import { AccountResolver } from './accounts/account.resolver.ts';
import { AccountService } from './accounts/account.service.ts';
import { ApiKey } from './api-keys/api-key.entity.ts';
import { ApiKeyResolver } from './api-keys/api-key.resolver.ts';
import { ApiKeyService } from './api-keys/api-key.service.ts';
import { AuditResolver } from './audit/audit.resolver.ts';
import { AuditService } from './audit/audit.service.ts';
import { AuditRecord } from './audit/audit-record.entity.ts';
import type { Authenticator } from './authentication/authenticator.ts';
import { type Bootstrapped, bootstrap, type Presets } from './bootstrap.ts';
import { Certificate } from './certificates/certificate.entity.ts';
import { CertificateResolver } from './certificates/certificate.resolver.ts';
import { CertificateService } from './certificates/certificate.service.ts';
import type { IdentityContext } from './context.ts';
import { createCore, type IdentityCore, type IdentityPorts } from './core.ts';
import { TrustedIssuer } from './issuers/trusted-issuer.entity.ts';
import { TrustedIssuerResolver } from './issuers/trusted-issuer.resolver.ts';
import { TrustedIssuerService } from './issuers/trusted-issuer.service.ts';
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
import { OAuthClientService } from './oauth-clients/oauth-client.service.ts';
import { Organization } from './organizations/organization.entity.ts';
import { organizationEvents } from './organizations/organization.events.ts';
import { createOrganization, type Founded, type NewOrganization } from './organizations/organization.founding.ts';
import { OrganizationResolver } from './organizations/organization.resolver.ts';
import { OrganizationService } from './organizations/organization.service.ts';
import { OneTimeToken } from './passwords/one-time-token.entity.ts';
import { PasswordResolver } from './passwords/password.resolver.ts';
import { UserRestrictions } from './restrictions/user-restrictions.entity.ts';
import { UserRestrictionsResolver } from './restrictions/user-restrictions.resolver.ts';
import { UserRestrictionsService } from './restrictions/user-restrictions.service.ts';
import { SamlAssertion, SamlCode, SamlRequest } from './saml/saml.records.ts';
import { SamlConnection } from './saml-connections/saml-connection.entity.ts';
import { SamlConnectionResolver } from './saml-connections/saml-connection.resolver.ts';
import { SamlConnectionService } from './saml-connections/saml-connection.service.ts';
import { SamlDomain } from './saml-connections/saml-domain.entity.ts';
import { RefreshToken } from './sessions/refresh-token.entity.ts';
import { Session } from './sessions/session.entity.ts';
import { SessionResolver } from './sessions/session.resolver.ts';
import { SessionService } from './sessions/session.service.ts';
import { SigningKey } from './tokens/signing-key.entity.ts';
import { UsageAccounting } from './usage/usage.accounting.ts';
import { usageEvents } from './usage/usage.events.ts';
import { UsageResolver } from './usage/usage.resolver.ts';
import { UsageService } from './usage/usage.service.ts';
import { User } from './users/user.entity.ts';
import { AccountUsersResolver, UserAccountResolver, UserResolver } from './users/user.resolver.ts';
import { UserService } from './users/user.service.ts';

export interface RunningIdentity extends RunningDomain {
  authenticator: Authenticator;
  core: IdentityCore;
  /** At the very first start makes the first administrator; undefined at every later one. */
  bootstrap(presets: Presets): Promise<Bootstrapped | undefined>;
  createOrganization(input: NewOrganization): Promise<Founded>;
  /** Adds the authorization server and the platform's own pages, behind the edge. */
  mount(app: FastifyInstance): Promise<void>;
  /** What a user is told who must show a second factor first (specification 2.4). */
  challenge(request: RequestContext): Promise<Demand>;
  /** Begins to follow what other processes change. */
  start(): Promise<void>;
  /** Writes what is counted in memory. To be called when no more requests come, before the database closes. */
  stop(): Promise<void>;
}

const samlEntities = [SamlConnection, SamlDomain, SamlRequest, SamlAssertion, SamlCode];
const mfaEntities = [MfaMethod, BackupCode, MfaChallenge];

/** Identity: organizations, accounts, users, credentials, and who a caller is (specification 4.1, 4.2, 5). */
export const identity: Domain<IdentityPorts, RunningIdentity> = {
  name: 'identity',
  entities: [
    Organization,
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
  migrations,
  events: [...organizationEvents, ...usageEvents],
  start(ports) {
    const core = createCore(ports);
    const accounting = new UsageAccounting(core, ports.log);
    return {
      subgraph: createSubgraph(ports, core),
      reactions: [webhookDisabled({ ...ports, mails: core.mails })],
      authenticator: core.authenticator,
      core,
      bootstrap: (presets) => bootstrap(ports, presets),
      createOrganization: (input) => createOrganization(ports, input),
      async start() {
        await core.feed.start();
        accounting.start();
        core.oauth.start();
        core.upkeep.start();
      },
      mount: (app) => core.oauth.mount(app),
      challenge: ({ principal }) => core.mfa.challenges.demand(principal),
      async stop() {
        core.oauth.stop();
        core.upkeep.stop();
        core.feed.stop();
        await accounting.stop();
        await core.review.settled();
        await core.saml.metadata.close();
        await core.authenticator.stop();
        await core.keySetFetcher.stop();
        await core.trail.flush();
      },
    };
  },
};

const resolvers = [
  OrganizationResolver,
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
  SamlConnectionResolver,
  MfaResolver,
  MfaChallengeResolver,
  UserRestrictionsResolver,
  TrustedIssuerResolver,
  OAuthClientResolver,
] as const;

function createSubgraph(ports: IdentityPorts, core: IdentityCore): Subgraph {
  const { orm, rows, clock, graph, sandbox, rateLimits, clientAuthorities: authorities } = ports;
  const accountReader = new RecordReader(ports, Account);
  const certificateReader = new RecordReader(ports, Certificate);
  const userReader = new RecordReader(ports, User);
  return buildSubgraph<IdentityContext>({
    name: 'identity',
    resolvers,
    references: {
      Account: { requires: 'accounts:read', load: (reference, { loaders }) => accountByReference(reference, loaders.accounts) },
    },
    createContext(request) {
      const { principal, client } = request;
      const em = organizationEm(orm, principal.organizationId);
      const loaders = {
        accounts: accountReader.forOrganization(principal.organizationId),
        users: userReader.forOrganization(principal.organizationId),
      };
      const { sessions, passwords, login, trail, feed, locator } = core;
      const parts = { em, request, clock, locator, trail, feed };
      return {
        request,
        principal,
        client,
        loaders,
        organizations: new OrganizationService({ em, request, trail, feed: core.feed }),
        accounts: new AccountService({ em, request, clock, graph, loader: loaders.accounts }),
        users: new UserService({ em, request, clock, accounts: loaders.accounts, passwords, sessions, trail }),
        apiKeys: new ApiKeyService({ ...parts, sandbox, secrets: core.apiKeySecrets }),
        certificates: new CertificateService({
          ...parts,
          authorities,
          loader: certificateReader.forOrganization(principal.organizationId),
        }),
        oauthClients: new OAuthClientService({ em, request, clock, trail, feed }),
        sessions: new SessionService({ em, request, clock, sessions }),
        allSessions: sessions,
        login,
        passwords,
        audit: new AuditService(em),
        usage: new UsageService(rows, request, rateLimits),
        samlConnections: new SamlConnectionService({ em, request, clock, trail, ...core.saml }),
        mfa: core.mfa.methods,
        mfaChallenges: core.mfa.challenges,
        verification: core.mfa.verification,
        trustedIssuers: new TrustedIssuerService({ ...parts, guard: core.guard, ownIssuer: core.tokens.addresses.issuer }),
        userRestrictions: new UserRestrictionsService(parts),
      };
    },
  });
}
