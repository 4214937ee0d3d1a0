import type { Principal } from '../../../kernel/access/principal.ts';
import type { Clock } from '../../../kernel/clock.ts';
import type { Orm } from '../../../kernel/database/database.ts';
import { record } from '../../../kernel/events/outbox.ts';
import type { Logger } from '../../../kernel/log/log.ts';
import { LOCKED } from '../../../kernel/records/records.ts';
import type { AuditTrail } from '../audit/audit-trail.ts';
import { Organization } from './organization.entity.ts';
import { organizationUnderReview } from './organization.events.ts';

/** Puts an organization under review if it exceeds the burst limit repeatedly (specification 8.3). */
export class OrganizationReview {
  readonly #pending = new Set<Promise<void>>();

  constructor(private readonly parts: { orm: Orm; clock: Clock; trail: AuditTrail; log: Logger }) {}

  /**
   * Records in the background that a caller exceeded the burst limit. The caller's request does not wait for this, and
   * does not fail if the violation cannot be recorded.
   */
  noteSuspension(principal: Principal): void {
    const noted = this.#note(principal)
      .catch((error: unknown) => {
        const { organizationId } = principal;
        this.parts.log.error({ err: error, organization: organizationId }, 'A hard violation of the rate limit could not be recorded');
      })
      .finally(() => this.#pending.delete(noted));
    this.#pending.add(noted);
  }

  /** Waits until every pending violation is in the database, or could not be recorded. */
  async settled(): Promise<void> {
    await Promise.all(this.#pending);
  }

  /** Records a violation of the burst limit. Locks the organization, so that concurrent violations are all counted. */
  async #note({ organizationId, id, kind }: Principal): Promise<void> {
    const { orm, clock, trail } = this.parts;
    await orm.em.fork().transactional(async (tx) => {
      const organization = await tx.findOne(Organization, { id: organizationId }, LOCKED);
      if (!organization) return;

      const now = clock.now();
      const isNew = organization.registerViolation(now);
      const holder = { organizationId, userId: kind === 'user' ? id : null, clientId: kind === 'user' ? null : id };
      await trail.record({ ...holder, eventType: 'credentials_suspended', reason: 'burst limit exceeded' }, tx);
      if (!isNew) return;
      await trail.record({ organizationId, eventType: 'organization_under_review', reason: 'burst limit exceeded repeatedly' }, tx);
      await record(tx, organizationUnderReview(organization, now));
    });
  }
}
