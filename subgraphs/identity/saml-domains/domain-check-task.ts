import type { Clock } from '../../../kernel/clock.ts';
import type { EntityManager, Orm } from '../../../kernel/database/database.ts';
import type { Logger } from '../../../kernel/log/log.ts';
import type { MailQueue } from '../../../kernel/messages/sealed-messages.ts';
import { DAY_MS } from '../../../kernel/values/days.ts';
import { PeriodicTask } from '../../../kernel/work/periodic-task.ts';
import { DomainMails } from './saml-domain.mails.ts';
import { SamlDomainClaim } from './saml-domain-claim.entity.ts';
import type { SamlDomains } from './saml-domains.ts';

const EVERY_MS = 60_000;
/**
 * Time between the second warning and the end of the grace period. The first warning is sent when the grace period
 * begins.
 */
const LAST_WARNING_MS = 7 * DAY_MS;
/** Grace period for domains that were in use before proofs were required. The migration uses the same value. */
const GRACE_MS = 30 * DAY_MS;
/**
 * Maximum number of claims that are leased and checked together. The lease is longer than the timeout of a DNS lookup.
 */
const BATCH = 200;
const LEASE_MS = 60_000;

export interface DomainCheckTaskParts {
  orm: Orm;
  clock: Clock;
  log: Logger;
  mails: MailQueue;
  domains: SamlDomains;
}

/**
 * Checks claimed and proven domains in DNS when their next check is due. Warns organizations about domains that stop
 * working if they are not proven before a grace period ends.
 */
export class DomainCheckTask extends PeriodicTask {
  readonly #mails: DomainMails;
  #round: Promise<void> = Promise.resolve();

  constructor(private readonly parts: DomainCheckTaskParts) {
    super({ name: 'identity.saml-domains', everyMs: EVERY_MS, log: parts.log });
    this.#mails = new DomainMails(parts.mails);
  }

  /** Runs the task after its previous run in this process has finished. */
  override run(): Promise<void> {
    this.#round = this.#round.catch(() => undefined).then(() => this.#once());
    return this.#round;
  }

  async #once(): Promise<void> {
    await this.#adopt();
    await this.#warn();
    const due = await this.#due();
    await Promise.all(due.map((claim) => this.parts.domains.check(claim)));
  }

  /**
   * Creates missing claims. A process of the previous release may still be running, and it adds domains without claims.
   */
  async #adopt(): Promise<void> {
    const now = this.parts.clock.now();
    await this.#em().execute(
      `insert into "identity"."saml_domain_claim" ("connection_id", "domain", "organization_id", "created_at", "grace_until", "check_due_at")
         select d."connection_id", d."domain", c."organization_id", ?::timestamptz, ?::timestamptz, ?::timestamptz
         from "identity"."saml_domain" d join "identity"."saml_connection" c on c."id" = d."connection_id"
         where not exists (select from "identity"."saml_domain_claim" k where k."connection_id" = d."connection_id" and k."domain" = d."domain")
       on conflict do nothing`,
      [now, new Date(now.getTime() + GRACE_MS), now],
    );
  }

  /**
   * Sends each organization one mail about all its domains in a grace period. If several processes run, only one of
   * them sends the mail.
   */
  async #warn(): Promise<void> {
    const now = this.parts.clock.now();
    const lastWarning = new Date(now.getTime() + LAST_WARNING_MS);
    await this.#em().transactional(async (tx) => {
      const claims = await tx.execute<{ connection_id: string; domain: string }[]>(
        `update "identity"."saml_domain_claim" set "warned_at" = ?
         where ("connection_id", "domain") in (
           select "connection_id", "domain" from "identity"."saml_domain_claim"
           where "grace_until" > ? and ("warned_at" is null or ("grace_until" <= ? and "warned_at" < "grace_until" - interval '${LAST_WARNING_MS / DAY_MS} days'))
           for update skip locked)
         returning "connection_id", "domain"`,
        [now, now, lastWarning],
      );
      if (claims.length === 0) return;
      const keys = claims.map(({ connection_id: connectionId, domain }) => ({ connectionId, domain }));
      const warned = await tx.find(SamlDomainClaim, { $or: keys }, { orderBy: { organizationId: 'asc', domain: 'asc' } });
      for (const of of Map.groupBy(warned, ({ organizationId }) => organizationId).values()) await this.#mails.unproven(tx, of);
    });
  }

  async #due(): Promise<Pick<SamlDomainClaim, 'connectionId' | 'domain'>[]> {
    const now = this.parts.clock.now();
    const rows = await this.#em().execute<{ connection_id: string; domain: string }[]>(
      `update "identity"."saml_domain_claim" set "check_due_at" = ?
       where ("connection_id", "domain") in (
         select "connection_id", "domain" from "identity"."saml_domain_claim" where "check_due_at" <= ?
         order by "check_due_at" limit ? for update skip locked)
       returning "connection_id", "domain"`,
      [new Date(now.getTime() + LEASE_MS), now, BATCH],
    );
    return rows.map(({ connection_id: connectionId, domain }) => ({ connectionId, domain }));
  }

  #em(): EntityManager {
    return this.parts.orm.em.fork();
  }
}
