import type { RecordLoader } from '../../kernel/loaders.ts';
import type { Principal } from '../../kernel/principal.ts';
import type { ClientInfo, RequestContext } from '../../kernel/request.ts';
import type { Account } from './accounts/account.entity.ts';
import type { AccountService } from './accounts/account.service.ts';
import type { ApiKeyService } from './api-keys/api-key.service.ts';
import type { AuditService } from './audit/audit.service.ts';
import type { CertificateService } from './certificates/certificate.service.ts';
import type { TrustedIssuerService } from './issuers/trusted-issuer.service.ts';
import type { MfaService } from './mfa/mfa.service.ts';
import type { MfaChallenges } from './mfa-challenges/challenge.service.ts';
import type { Verification } from './mfa-challenges/challenge.verification.ts';
import type { OAuthClientService } from './oauth-clients/oauth-client.service.ts';
import type { OrganizationService } from './organizations/organization.service.ts';
import type { PasswordService } from './passwords/password.service.ts';
import type { UserRestrictionsService } from './restrictions/user-restrictions.service.ts';
import type { SamlConnectionService } from './saml-connections/saml-connection.service.ts';
import type { LoginService } from './sessions/login.service.ts';
import type { SessionService } from './sessions/session.service.ts';
import type { Sessions } from './sessions/sessions.ts';
import type { UsageService } from './usage/usage.service.ts';
import type { User } from './users/user.entity.ts';
import type { UserService } from './users/user.service.ts';

/** What the resolvers of one request work with. */
export interface IdentityContext {
  request: RequestContext;
  principal: Principal;
  client: ClientInfo | undefined;
  organizations: OrganizationService;
  accounts: AccountService;
  users: UserService;
  apiKeys: ApiKeyService;
  certificates: CertificateService;
  oauthClients: OAuthClientService;
  /** The caller's own. */
  sessions: SessionService;
  allSessions: Sessions;
  login: LoginService;
  passwords: PasswordService;
  audit: AuditService;
  usage: UsageService;
  samlConnections: SamlConnectionService;
  mfa: MfaService;
  mfaChallenges: MfaChallenges;
  verification: Verification;
  userRestrictions: UserRestrictionsService;
  trustedIssuers: TrustedIssuerService;
  loaders: { accounts: RecordLoader<Account>; users: RecordLoader<User> };
}
