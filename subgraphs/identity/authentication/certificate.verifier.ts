import type { X509Certificate } from 'node:crypto';
import { type Credentials, InvalidCredentials, type ShownCertificate } from '../../../kernel/access/credentials.ts';
import { type Grant, type Plan, Principal } from '../../../kernel/access/principal.ts';
import type { Clock } from '../../../kernel/clock.ts';
import type { Rows } from '../../../kernel/database/database.ts';
import { CredentialsExpired } from '../authentication.errors.ts';
import { CertificateStatus } from '../certificates/certificate.states.ts';
import { fingerprintOf, isInForce, issuersAmong, type Validity } from '../certificates/certificate-x509.ts';
import { requireOpenAccount } from './account-scope.ts';
import type { Authenticated } from './authenticated.ts';
import type { ChangeFeed } from './change-feed.ts';
import { CredentialCache, type Found } from './credential-cache.ts';
import type { CredentialUsage } from './credential-usage.ts';

const CACHED_CERTIFICATES = 10_000;

export interface CertificateVerifierParts {
  rows: Rows;
  clock: Clock;
  usage: CredentialUsage;
  /**
   * Authorities that must have issued the certificate. If undefined, any issuer and self-signed certificates are
   * accepted.
   */
  authorities: readonly X509Certificate[] | undefined;
  feed: ChangeFeed;
}

interface Registered {
  id: string;
  organization_id: string;
  plan: Plan;
  permissions: Grant[];
  accounts: string[] | null;
  status: CertificateStatus;
}

interface KnownCertificate {
  id: string;
  isRevoked: boolean;
  validity: Validity;
  /** Validity dates of the accepted authorities that issued the certificate. Undefined if every issuer is accepted. */
  issuers: Validity[] | undefined;
  authenticated: Authenticated;
}

const REGISTERED = `select c."id", c."organization_id", o."plan", c."permissions", c."accounts", c."status"
  from "identity"."certificate" c join "identity"."organization" o on o."id" = c."organization_id" where c."fingerprint" = $1`;

/**
 * Verifies client certificates by fingerprint (specification 5.5). Looking up a cached certificate costs a map access,
 * but no query.
 */
export class CertificateVerifier {
  readonly #known: CredentialCache<KnownCertificate>;

  constructor(private readonly parts: CertificateVerifierParts) {
    this.#known = new CredentialCache(parts.feed, CACHED_CERTIFICATES);
  }

  /**
   * Checks the certificate by the platform's clock and list of authorities, and ignores the result of the TLS
   * handshake.
   * @throws InvalidCredentials, CredentialsExpired
   */
  async verify({ certificate, signing }: ShownCertificate & Pick<Credentials, 'signing'>): Promise<Authenticated> {
    const found = this.#known.get(certificate.fingerprint256, () => this.#load(certificate));
    const known = found instanceof Promise ? await found : found;
    if (!known) throw new InvalidCredentials('This client certificate is not registered. Register it, or send an API key or access token.');
    const now = this.parts.clock.now();
    refuseUnlessFit(known, now);
    // a WebSocket counts as one use when it opens; the periodic checks while it is open do not count
    if (signing !== 'checked at opening') this.parts.usage.count(known.id, now);
    return known.authenticated;
  }

  async #load(certificate: X509Certificate): Promise<Found<KnownCertificate> | undefined> {
    const [record] = await this.parts.rows.query<Registered>(REGISTERED, [fingerprintOf(certificate)]);
    if (!record) return undefined;
    const { authorities, rows } = this.parts;
    await requireOpenAccount(rows, record.organization_id, record.accounts);
    const issuers = authorities && issuersAmong(authorities, certificate).map(validityOf);
    return {
      value: knownCertificate(record, validityOf(certificate), issuers),
      subjects: [record.id, record.organization_id, ...(record.accounts ?? [])],
    };
  }
}

function refuseUnlessFit({ isRevoked, validity, issuers }: KnownCertificate, now: Date): void {
  const { validFromDate, validToDate } = validity;
  if (isRevoked) throw new InvalidCredentials('This client certificate was revoked. Register another one.', 'revoked');
  if (issuers && !issuers.some((issuer) => isInForce(issuer, now)))
    throw new InvalidCredentials('This client certificate was not issued by an authority that this platform accepts.', 'authority');
  if (now < validFromDate)
    throw new InvalidCredentials(`This client certificate is not valid before ${validFromDate.toISOString()}.`, 'not yet valid');
  if (now > validToDate) throw new CredentialsExpired(validToDate, 'The client certificate has expired. Register another one.');
}

/** Copies `validFromDate` and `validToDate`, because an X509Certificate parses them on every access. */
const validityOf = ({ validFromDate, validToDate }: Validity): Validity => ({ validFromDate, validToDate });

function knownCertificate(record: Registered, validity: Validity, issuers: Validity[] | undefined): KnownCertificate {
  const { id, organization_id: organizationId, plan, permissions: grants, accounts, status } = record;
  const principal = new Principal({ kind: 'certificate', id, organizationId, plan, grants, accounts });
  const isRevoked = status === CertificateStatus.REVOKED;
  return { id, isRevoked, validity, issuers, authenticated: { principal, rateLimit: null, method: 'certificate' } };
}
