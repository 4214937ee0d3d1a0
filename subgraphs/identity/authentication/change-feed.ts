import type { Database, Rows } from '../../../kernel/database/database.ts';
import type { Logger } from '../../../kernel/log/log.ts';
import type { Expired } from '../../../kernel/work/retention.ts';

/**
 * Maximum age of cached data while this process cannot receive notifications of changes. A revocation must take effect everywhere within 5
 * s.
 */
export const UNFOLLOWED_MS = 4000;
const POLL_MS = 1500;
/**
 * Number of seconds that each poll looks back. It is longer than the time between polls, because a change gets its
 * timestamp before its transaction commits, and so becomes visible late. A change that is read twice does no harm.
 */
const OVERLAP_S = 15;
/** Rows of `identity.change` that can be deleted. They are so old that every process has read them. */
export const EXPIRED_CHANGES: Expired = {
  table: 'identity.change',
  where: `"changed_at" < clock_timestamp() - interval '1 hour'`,
  values: [],
};

/**
 * Notifies listeners when any process changes a record that credentials depend on. Database triggers report such changes
 * (`note_change` in the migration 0002-access), and NOTIFY delivers them immediately. A periodic query finds recent
 * changes that NOTIFY did not deliver, and shows that the database is reachable.
 */
export class ChangeFeed {
  readonly #listeners: ((subjectId: string) => void)[] = [];
  #timer: NodeJS.Timeout | undefined;
  #followedAt = Number.NEGATIVE_INFINITY;
  #isStopped = false;

  constructor(
    private readonly database: Database,
    private readonly rows: Rows,
    private readonly log: Logger,
  ) {}

  onChange(listener: (subjectId: string) => void): void {
    this.#listeners.push(listener);
  }

  /** Reports a change by this process, so that the change takes effect before the response is sent. */
  changed(subjectId: string): void {
    for (const listener of this.#listeners) listener(subjectId);
  }

  /** Returns whether this process has received all changes up to a few seconds ago. */
  get isFollowing(): boolean {
    return performance.now() - this.#followedAt < UNFOLLOWED_MS;
  }

  async start(): Promise<void> {
    await this.database.listen('identity_change', (subjectId) => this.changed(subjectId));
    // an embedded database has no other clients whose changes could be missed
    if (this.database.pglite) this.#followedAt = Number.POSITIVE_INFINITY;
    else await this.#poll();
  }

  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }

  async #poll(): Promise<void> {
    const asked = performance.now();
    try {
      const rows = await this.rows.query<{ subject_id: string }>(
        `select distinct "subject_id" from "identity"."change" where "changed_at" > clock_timestamp() - interval '${OVERLAP_S} seconds'`,
        [],
      );
      for (const { subject_id } of rows) this.changed(subject_id);
      this.#followedAt = asked;
    } catch (error) {
      this.log.debug({ err: error }, 'Changes of credentials cannot be followed; until they can, credentials are looked up more often');
    }
    if (!this.#isStopped) this.#timer = setTimeout(() => void this.#poll(), POLL_MS).unref();
  }
}
