import type { Database, Rows } from '../../../kernel/database/database.ts';
import type { Logger } from '../../../kernel/log/log.ts';
import type { Expired } from '../../../kernel/work/retention.ts';

/** How old what is known may be where changes cannot be followed: the bound for a revocation to count everywhere is 5 s. */
export const UNFOLLOWED_MS = 4000;
const POLL_MS = 1500;
/** Reads further back than it must: a transaction that began earlier may commit later. Forgetting twice does no harm. */
const OVERLAP_S = 15;
/** Changes that every process has read. */
export const EXPIRED_CHANGES: Expired = {
  table: 'identity.change',
  where: `"changed_at" < clock_timestamp() - interval '1 hour'`,
  values: [],
};

/**
 * Tells of every change of a record that credentials depend on, made by any process (the triggers of 0002-access). NOTIFY
 * brings it at once; a poll beside requests catches what a lost connection has swallowed, and says whether that is so.
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

  /** For a change by this process: counts before the answer to whoever made it. */
  changed(subjectId: string): void {
    for (const listener of this.#listeners) listener(subjectId);
  }

  /** Whether everything that was changed until a moment ago is known here. */
  get isFollowing(): boolean {
    return performance.now() - this.#followedAt < UNFOLLOWED_MS;
  }

  async start(): Promise<void> {
    await this.database.listen('identity_change', (subjectId) => this.changed(subjectId));
    // nobody else can be at an embedded database
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
      this.log.debug({ err: error }, 'Changes of credentials could not be followed; they are looked up more often meanwhile');
    }
    if (!this.#isStopped) this.#timer = setTimeout(() => void this.#poll(), POLL_MS).unref();
  }
}
