import type { Clock } from '../../../kernel/clock.ts';
import type { EntityManager, Orm } from '../../../kernel/database/database.ts';
import type { MailQueue } from '../../../kernel/messages/sealed-messages.ts';
import { EVERYWHERE } from '../../../kernel/records/organization-filter.ts';
import { advisoryLock, LOCKED } from '../../../kernel/records/records.ts';
import type { AuditTrail } from '../audit/audit-trail.ts';
import { SamlConnection } from '../saml-connections/saml-connection.entity.ts';
import type { DomainProof, Published } from './domain-proof.ts';
import { nextCheck } from './domain-schedule.ts';
import { SamlDomain } from './saml-domain.entity.ts';
import { DomainMails } from './saml-domain.mails.ts';
import { SamlDomainClaim } from './saml-domain-claim.entity.ts';

export interface SamlDomainsParts {
  orm: Orm;
  clock: Clock;
  trail: AuditTrail;
  mails: MailQueue;
  proof: DomainProof;
  /** True if domains need no proof (`SAML_DOMAIN_PROOF=none`). A claim then takes effect immediately. */
  isOnTrust: boolean;
}

const NO_RECORD = 'its TXT record was not found';
const NO_ANSWER = 'DNS could not be queried; it will be queried again';
const OTHERS = 'another connection has proven it, and its record is still there';

type ClaimKey = Pick<SamlDomainClaim, 'connectionId' | 'domain'>;

/**
 * Decides which connection signs in the users of an e-mail domain. Any organization may claim a domain. The domain
 * belongs to the organization whose TXT record is in the DNS of the domain.
 */
export class SamlDomains {
  readonly #mails: DomainMails;

  constructor(private readonly parts: SamlDomainsParts) {
    this.#mails = new DomainMails(parts.mails);
  }

  /** Returns the connection that signs in users of a domain; undefined if there is none. */
  async connectionFor(domain: string): Promise<string | undefined> {
    const em = this.parts.orm.em.fork();
    const holder = await em.findOne(SamlDomain, { domain });
    const claim = holder && (await em.findOne(SamlDomainClaim, { connectionId: holder.connectionId, domain }));
    return claim?.worksAt(this.parts.clock.now()) ? claim.connectionId : undefined;
  }

  /**
   * Creates and deletes claims of a connection until they match `emailDomains` of the connection. Existing claims keep
   * their proof.
   */
  async claim(tx: EntityManager, { id: connectionId, organizationId, emailDomains }: SamlConnection): Promise<void> {
    const now = this.parts.clock.now();
    const there = new Set((await tx.find(SamlDomainClaim, { connectionId })).map(({ domain }) => domain));
    const gone = [...there].filter((domain) => !emailDomains.includes(domain));
    await tx.nativeDelete(SamlDomainClaim, { connectionId, domain: { $in: gone } });
    await tx.nativeDelete(SamlDomain, { connectionId, domain: { $in: gone } });
    const added = emailDomains.filter((domain) => !there.has(domain));
    const made = { connectionId, organizationId, createdAt: now, checkDueAt: now, problem: NO_RECORD };
    await tx.persist(added.map((domain) => Object.assign(new SamlDomainClaim(), made, { domain }))).flush();
  }

  /** Checks all domains of a connection in DNS immediately. */
  async verify(connectionId: string): Promise<void> {
    const claims = await this.parts.orm.em.fork().find(SamlDomainClaim, { connectionId }, { orderBy: { domain: 'asc' } });
    await Promise.all(claims.map((claim) => this.check(claim)));
  }

  /** Accepts the claimed domains of a connection if the platform requires no proof. */
  async settleOnTrust(connectionId: string): Promise<void> {
    if (this.parts.isOnTrust) await this.verify(connectionId);
  }

  /** Checks one claim in DNS and records the result. The transaction begins only after the DNS lookup. */
  async check({ connectionId, domain }: ClaimKey): Promise<void> {
    const { orm, proof } = this.parts;
    const published = await proof.published(domain);
    await orm.em.fork().transactional(async (tx) => {
      await advisoryLock(tx, `saml-domain ${domain}`);
      const claim = await tx.findOne(SamlDomainClaim, { connectionId, domain }, LOCKED);
      if (claim) await this.#record(tx, claim, published);
    });
  }

  /**
   * Removes an organization's claim to a domain. The organization can claim the domain again. Returns false if there
   * was no claim.
   */
  async withdraw(tx: EntityManager, organizationId: string, domain: string): Promise<boolean> {
    await advisoryLock(tx, `saml-domain ${domain}`);
    const claim = await tx.findOne(SamlDomainClaim, { organizationId, domain }, LOCKED);
    if (!claim) return false;
    const { connectionId } = claim;
    if (claim.worksUntil || claim.provenAt) await this.#end(tx, claim, 'the operator of the platform has withdrawn it');
    await tx.nativeDelete(SamlDomain, { connectionId, domain });
    await tx.nativeDelete(SamlDomainClaim, { connectionId, domain });
    const connection = await tx.findOneOrFail(SamlConnection, { id: connectionId }, EVERYWHERE);
    connection.emailDomains = connection.emailDomains.filter((one) => one !== domain);
    return true;
  }

  async #record(tx: EntityManager, claim: SamlDomainClaim, published: Published): Promise<void> {
    const now = this.parts.clock.now();
    claim.checkedAt = now;
    if (!published) claim.problem = NO_ANSWER;
    else if (!published(claim.organizationId)) await this.#absent(tx, claim, now);
    else if (await this.#take(tx, claim, published)) await this.#found(tx, claim, now);
    else claim.problem = OTHERS;
    claim.checkDueAt = nextCheck(claim, now);
  }

  async #found(tx: EntityManager, claim: SamlDomainClaim, now: Date): Promise<void> {
    if (!claim.provenAt) await this.#audit(tx, claim, 'saml_domain_proven');
    Object.assign(claim, { provenAt: claim.provenAt ?? now, failingSince: null, graceUntil: null, problem: null });
  }

  async #absent(tx: EntityManager, claim: SamlDomainClaim, now: Date): Promise<void> {
    claim.problem = NO_RECORD;
    if (claim.provenAt && !claim.failingSince) {
      claim.failingSince = now;
      await this.#mails.missing(tx, claim);
    }
    const until = claim.worksUntil;
    if (until && until <= now) await this.#end(tx, claim, 'its TXT record is not in DNS');
  }

  /**
   * Assigns the domain to the connection of the claim. Returns false if another connection keeps the domain, because that
   * connection has proven it and the TXT record is still in DNS, or because the platform requires no proof.
   */
  async #take(tx: EntityManager, { connectionId, domain }: SamlDomainClaim, published: (organizationId: string) => boolean) {
    const holder = await tx.findOne(SamlDomain, { domain }, LOCKED);
    if (holder?.connectionId === connectionId) return true;
    const other = holder && (await tx.findOne(SamlDomainClaim, { connectionId: holder.connectionId, domain }, LOCKED));
    if (other && published(other.organizationId) && (other.provenAt || this.parts.isOnTrust)) return false;
    if (other) await this.#end(tx, other, 'another organization has proven that it is theirs');
    await tx.nativeDelete(SamlDomain, { domain });
    await tx.insert(SamlDomain, { domain, connectionId });
    return true;
  }

  async #end(tx: EntityManager, claim: SamlDomainClaim, why: string): Promise<void> {
    const { connectionId, domain } = claim;
    Object.assign(claim, { provenAt: null, failingSince: null, graceUntil: null, problem: NO_RECORD });
    await tx.nativeDelete(SamlDomain, { connectionId, domain });
    await this.#audit(tx, claim, 'saml_domain_lost');
    await this.#mails.ended(tx, claim, why);
  }

  #audit(tx: EntityManager, { organizationId, connectionId, domain }: SamlDomainClaim, eventType: string): Promise<void> {
    return this.parts.trail.record(
      { eventType, organizationId, authenticationMethod: 'saml', reason: `${domain}; connection ${connectionId}` },
      tx,
    );
  }
}
