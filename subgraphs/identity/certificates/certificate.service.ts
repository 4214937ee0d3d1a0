import type { X509Certificate } from 'node:crypto';
import type { Clock } from '../../../kernel/clock.ts';
import type { EntityManager } from '../../../kernel/database/database.ts';
import { NEWEST_FIRST, type Page, type PageInput, type SortBy } from '../../../kernel/graphql/page.ts';
import type { RecordLoader } from '../../../kernel/records/loaders.ts';
import { listPage } from '../../../kernel/records/pagination.ts';
import { LOCKED, onDuplicate, orNotFound } from '../../../kernel/records/records.ts';
import type { RequestContext } from '../../../kernel/request.ts';
import type { AccountScopes } from '../accounts/account-scopes.ts';
import type { AuditTrail } from '../audit/audit-trail.ts';
import type { ChangeFeed } from '../authentication/change-feed.ts';
import { requireToGrant } from '../granting/grants.ts';
import { Certificate } from './certificate.entity.ts';
import { CertificateRegistered } from './certificate.errors.ts';
import type { CertificateRegisterInput } from './certificate.inputs.ts';
import { certificateProblems } from './certificate.rules.ts';
import type { CertificateValidity } from './certificate.states.ts';
import { readPem, UnreadablePem } from './certificate-pem.ts';

export interface CertificateServiceDeps {
  em: EntityManager;
  loader: RecordLoader<Certificate>;
  request: RequestContext;
  clock: Clock;
  /** Authorities whose certificates can be registered. If undefined, certificates of any issuer can be registered. */
  authorities: readonly X509Certificate[] | undefined;
  feed: ChangeFeed;
  trail: AuditTrail;
  scopes: AccountScopes;
}

/** Manages the client certificates of the caller's organization (specification 2.4, 4.1, 5.5). */
export class CertificateService {
  constructor(private readonly deps: CertificateServiceDeps) {}

  /**
   * Registers a certificate.
   * @throws InsufficientPermissions for a permission that the caller does not hold; CertificateRegistered if any
   * organization has already registered the certificate
   */
  async register({ certificate: pem, name, permissions, accounts: stated }: CertificateRegisterInput): Promise<Certificate> {
    const { em, request, clock, feed } = this.deps;
    const { principal } = request;
    requireToGrant(principal, permissions);
    const now = clock.now();
    const presented = readPem(pem);
    const { organizationId } = principal;
    const accounts = await this.deps.scopes.grant(stated);
    const fields = { organizationId, name, permissions: [...new Set(permissions)], accounts, createdAt: now };
    const certificate = Certificate.of(presented, fields);
    const registering = em.transactional(async (tx) => {
      await tx.persist(certificate).flush();
      await this.#audit(tx, certificate, 'certificate_registered');
    });
    await registering.catch(onDuplicate(() => new CertificateRegistered(certificate.fingerprint)));
    // a certificate that was used before its registration is cached as unknown
    feed.changed(certificate.id);
    return certificate;
  }

  /**
   * Returns the reasons why the certificate in `pem` cannot be registered. Each reason completes a sentence that begins
   * with "certificate".
   */
  faultsOf(pem: string): string[] {
    try {
      return certificateProblems(readPem(pem), this.deps.clock.now(), this.deps.authorities);
    } catch (error) {
      if (error instanceof UnreadablePem) return [error.message];
      throw error;
    }
  }

  /**
   * Returns null if the caller's organization has no certificate with this id. A certificate of another organization is
   * treated as absent.
   */
  find(id: string): Promise<Certificate | null> {
    return this.deps.loader.load(id);
  }

  list(sort: SortBy[], page: PageInput): Promise<Page<Certificate>> {
    return listPage(this.deps.em, Certificate, { where: {}, sort, page, defaultSort: NEWEST_FIRST });
  }

  /**
   * Revokes a certificate and keeps its record.
   * @throws ResourceNotFound; InsufficientPermissions if the certificate has permissions that the caller does not have
   */
  async revoke(id: string): Promise<Certificate> {
    const { em, request, clock, feed, scopes } = this.deps;
    const revoked = await em.transactional(async (tx) => {
      const certificate = orNotFound(await tx.findOne(Certificate, { id }, LOCKED), 'certificate', id);
      requireToGrant(request.principal, certificate.permissions);
      scopes.requireOver(certificate.accounts);
      if (certificate.revoke(clock.now())) await this.#audit(tx, certificate, 'certificate_revoked');
      return certificate;
    });
    feed.changed(id);
    return revoked;
  }

  /** Records an action of the caller in the audit trail. The `reason` of the record is the id of the certificate. */
  #audit(tx: EntityManager, { id }: Certificate, eventType: string): Promise<void> {
    const { trail, request } = this.deps;
    return trail.recordBy(request, { eventType, sessionId: request.principal.sessionId, reason: id }, tx);
  }

  validityOf(certificate: Certificate): CertificateValidity {
    return certificate.validityAt(this.deps.clock.now());
  }
}
