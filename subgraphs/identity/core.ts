import type { X509Certificate } from 'node:crypto';
import type { Plan } from '../../kernel/access/principal.ts';
import type { SecretBox } from '../../kernel/access/secret-box.ts';
import type { Secrets } from '../../kernel/access/secrets.ts';
import type { Ports } from '../../kernel/domain.ts';
import type { FileStore } from '../../kernel/files/files.ts';
import type { Mail, Mailer } from '../../kernel/messages/mail.ts';
import { type MailQueue, SealedMessages } from '../../kernel/messages/sealed-messages.ts';
import type { Sms, SmsSender } from '../../kernel/messages/sms.ts';
import { UrlGuard } from '../../kernel/outbound/ssrf.ts';
import type { OrganizationData } from '../../kernel/records/organization-data.ts';
import { RecordReader } from '../../kernel/records/record-reader.ts';
import { type Retained, RetentionTask } from '../../kernel/work/retention.ts';
import { Account } from './accounts/account.entity.ts';
import { AuditTrail } from './audit/audit-trail.ts';
import { accessRetention } from './authentication/access.retention.ts';
import { Authenticator } from './authentication/authenticator.ts';
import { ChangeFeed } from './authentication/change-feed.ts';
import { OrganizationStatusCache } from './authentication/organization-status-cache.ts';
import { Certificate } from './certificates/certificate.entity.ts';
import { ConsoleSignIn } from './console/console-sign-in.ts';
import { KeySetFetcher } from './issuers/key-set-fetcher.ts';
import { KeySets } from './issuers/key-sets.ts';
import { createMfa, type Mfa } from './mfa.ts';
import { MfaGate } from './oauth/mfa-gate.ts';
import { OAuth } from './oauth/oauth.ts';
import { AdministratorReset } from './operator/administrator-reset.ts';
import { OrganizationClosing } from './operator/organization-closing.ts';
import { OrganizationDeletion } from './operator/organization-deletion.ts';
import { OrganizationExports } from './operator/organization-exports.ts';
import { PlatformAccesses } from './operator/platform-access.ts';
import { OrganizationReview } from './organizations/organization-review.ts';
import { PasswordService } from './passwords/password.service.ts';
import { CountryLocator } from './restrictions/country-locator.ts';
import { UserAccess } from './restrictions/user-access.ts';
import { createSaml, type Saml } from './saml/saml.ts';
import type { ResolveTxt } from './saml-domains/domain-proof.ts';
import { SamlDomainClaim } from './saml-domains/saml-domain-claim.entity.ts';
import { API_KEY_SECRETS } from './sealed.ts';
import { KnownPlaces } from './sessions/known-places.ts';
import { LoginService } from './sessions/login.service.ts';
import { LoginAttempts } from './sessions/login-attempts.ts';
import { Sessions } from './sessions/sessions.ts';
import { SignatureVerifier } from './signing/signature.verifier.ts';
import { AccessTokens } from './tokens/access-token.ts';
import { KeyRing, SIGNING_KEYS } from './tokens/key-ring.ts';
import { OverageReports } from './usage/overage-reports.ts';
import type { RateLimits } from './usage/rate-limits.ts';
import { RequestUsage } from './usage/request-usage.ts';
import { usageRetention } from './usage/usage.retention.ts';
import type { PasswordCost } from './users/password.ts';
import { User } from './users/user.entity.ts';

export interface IdentityPorts extends Ports {
  /** True if this platform issues and accepts only test keys. Otherwise it issues and accepts only live keys. */
  sandbox: boolean;
  /**
   * Authorities that must have issued a client certificate. If undefined, any issuer and self-signed certificates are
   * accepted.
   */
  clientAuthorities?: readonly X509Certificate[] | undefined;
  /** Encrypts secrets that are stored in the database. */
  secrets: Secrets;
  /** Public origin of the authorization server: the issuer of tokens and the address of its pages. */
  authOrigin: string;
  /** Public origin of the SAML service provider. */
  serviceOrigin: string;
  mailer: Mailer;
  sms: SmsSender;
  /** Stores exports of organizations. */
  files: FileStore;
  /** Lists all tables that contain data of organizations, for exports and deletions. */
  organizationData: OrganizationData;
  /** Number of days for which audit records are kept. */
  auditRetentionDays: number;
  /** Finds the country of a caller. Default: the country is unknown. */
  locator?: CountryLocator;
  /** Way in which the ownership of an e-mail domain of a SAML connection is proven. `none`: no proof is needed. */
  samlDomainProof: 'dns' | 'none';
  /** Resolves TXT records. Default: the DNS resolver of the system. */
  resolveTxt?: ResolveTxt | undefined;
  /** True if URLs that callers provide may use http and private addresses. For development only. */
  allowPrivateUrls: boolean;
  /** Cost of password hashing. Default: appropriate for passwords that people choose. */
  passwordCost?: PasswordCost | undefined;
  /** Returns the requests per minute that a plan allows. Access tokens contain this number as a claim. */
  requestsPerMinute(plan: Plan): number;
  rateLimits: RateLimits;
}

/** Services of identity that exist once per process: credentials, tokens, sessions and background tasks. */
export interface IdentityCore {
  ports: IdentityPorts;
  feed: ChangeFeed;
  trail: AuditTrail;
  ring: KeyRing;
  tokens: AccessTokens;
  sessions: Sessions;
  attempts: LoginAttempts;
  places: KnownPlaces;
  login: LoginService;
  passwords: PasswordService;
  mails: MailQueue;
  saml: Saml;
  mfa: Mfa;
  /** Encrypts the signing secrets of API keys. */
  apiKeySecrets: SecretBox;
  locator: CountryLocator;
  userAccess: UserAccess;
  guard: UrlGuard;
  keySetFetcher: KeySetFetcher;
  authenticator: Authenticator;
  usage: RequestUsage;
  overages: OverageReports;
  review: OrganizationReview;
  organizationStatus: OrganizationStatusCache;
  access: PlatformAccesses;
  closing: OrganizationClosing;
  exports: OrganizationExports;
  deletion: OrganizationDeletion;
  administrators: AdministratorReset;
  oauth: OAuth;
  consoleSignIn: ConsoleSignIn;
  /** Tables whose rows are deleted by age. */
  retained: readonly Retained[];
  retentionTask: RetentionTask;
  readers: {
    accounts: RecordReader<Account>;
    certificates: RecordReader<Certificate>;
    samlDomainClaims: RecordReader<SamlDomainClaim>;
    users: RecordReader<User>;
  };
}

/** Creates the services in the order of their dependencies: audit and change feed, tokens, authentication, logins, OAuth and SAML. */
export function createCore(ports: IdentityPorts): IdentityCore {
  const { orm, rows, database, clock, log } = ports;
  const feed = new ChangeFeed(database, rows, log);
  const trail = new AuditTrail(orm, clock, log);
  const issuing = createIssuing(ports, feed);
  const verifying = createVerifying(ports, { feed, trail, tokens: issuing.tokens });
  const logins = createLogins(ports, { feed, trail, tokens: issuing.tokens, userAccess: verifying.userAccess });
  const gate = new MfaGate({ orm, rows, clock, feed, mfa: logins.mfa });
  const { authenticator } = verifying;
  const access = new PlatformAccesses({ orm, clock, trail, feed });
  const closing = new OrganizationClosing({ ...ports, trail, feed, access });
  const oauth = new OAuth({ ...ports, feed, trail, ...issuing, ...logins, authenticator, gate });
  const retained = [...accessRetention(ports), ...usageRetention(ports)];
  const saml = createSaml({ ...ports, guard: verifying.guard, trail, feed, sessions: logins.sessions, mails: logins.mails });
  return {
    ports,
    feed,
    trail,
    ...issuing,
    ...verifying,
    ...logins,
    usage: new RequestUsage(orm, clock, log),
    overages: new OverageReports(orm, clock),
    review: new OrganizationReview({ orm, clock, trail, log }),
    access,
    exports: new OrganizationExports(ports),
    closing,
    deletion: new OrganizationDeletion({ ...ports, trail, feed, access, closing }),
    administrators: new AdministratorReset({ orm, clock, trail, sessions: logins.sessions, passwordCost: ports.passwordCost }),
    saml,
    oauth,
    consoleSignIn: new ConsoleSignIn({ ...ports, ...logins, gate, saml: ports.serviceOrigin === ports.origin ? saml.signIn : undefined }),
    retained,
    retentionTask: new RetentionTask({ name: 'identity.retention', everyMs: RETENTION_MS, log }, () => retained),
    readers: {
      accounts: new RecordReader(ports, Account),
      certificates: new RecordReader(ports, Certificate),
      samlDomainClaims: new RecordReader(ports, SamlDomainClaim),
      users: new RecordReader(ports, User),
    },
  };
}

function createIssuing({ orm, clock, secrets, authOrigin, origin }: IdentityPorts, feed: ChangeFeed) {
  const ring = new KeyRing({ orm, clock, box: secrets.box(SIGNING_KEYS) });
  feed.onChange((subjectId) => subjectId === '' && ring.forget());
  return { ring, tokens: new AccessTokens({ issuer: authOrigin, audience: `${origin}/v1` }, ring, clock) };
}

type Base = Pick<IdentityCore, 'feed' | 'trail' | 'tokens'>;

function createVerifying(ports: IdentityPorts, base: Base) {
  const { orm, rows, clock, log, sandbox, clientAuthorities, secrets, allowPrivateUrls, locator = CountryLocator.none } = ports;
  const apiKeySecrets = secrets.box(API_KEY_SECRETS);
  const signatures = new SignatureVerifier(rows, clock);
  const guard = new UrlGuard({ allowPrivate: allowPrivateUrls });
  const keySetFetcher = new KeySetFetcher(guard);
  const keySets = new KeySets((uri) => keySetFetcher.fetch(uri), clock);
  const parts = { orm, rows, clock, log, sandbox, clientAuthorities, locator, signatures, keySets };
  const organizationStatus = new OrganizationStatusCache(rows, base.feed);
  const authenticator = new Authenticator({ ...parts, ...base, organizationStatus, secrets: apiKeySecrets });
  return {
    apiKeySecrets,
    locator,
    guard,
    signatures,
    keySetFetcher,
    organizationStatus,
    authenticator,
    userAccess: new UserAccess({ orm, clock, locator }),
  };
}

const RETENTION_MS = 600_000;
const MAIL_RETRIES = { retryLimit: 10, retryDelaySeconds: 5, retryDelayMaxSeconds: 3600 };
const SMS_RETRIES = { retryLimit: 6, retryDelaySeconds: 2, retryDelayMaxSeconds: 120 };

function createLogins(ports: IdentityPorts, { feed, trail, tokens, userAccess }: Base & Pick<IdentityCore, 'userAccess'>) {
  const { orm, clock, log, jobs, secrets, authOrigin, mailer, sms, passwordCost, requestsPerMinute } = ports;
  const places = new KnownPlaces(orm, clock, secrets.hash('known-places'));
  const sessions = new Sessions({ orm, clock, tokens, trail, feed, userAccess, places, requestsPerMinute });
  const attempts = new LoginAttempts(orm, clock, places);
  const { isSuspended } = ports;
  const queueing = { jobs, secrets, clock, log, mailer, sms, isSuspended };
  const mails = new SealedMessages<Mail>({ kind: 'mail', name: 'identity.mail', retries: MAIL_RETRIES, ...queueing });
  const messages = new SealedMessages<Sms>({ kind: 'sms', name: 'identity.sms', retries: SMS_RETRIES, ...queueing });
  return {
    sessions,
    attempts,
    places,
    mails,
    login: new LoginService({ orm, attempts, sessions, trail, userAccess, passwordCost }),
    passwords: new PasswordService({
      orm,
      clock,
      mails,
      sessions,
      attempts,
      places,
      trail,
      jobs,
      log,
      isSuspended,
      authOrigin,
      passwordCost,
    }),
    mfa: createMfa({ orm, clock, mails, messages, trail, feed, places, secrets }),
  };
}
