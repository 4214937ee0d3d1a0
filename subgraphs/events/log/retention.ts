import type { Clock } from '../../../kernel/clock.ts';
import type { Rows } from '../../../kernel/database/database.ts';
import type { Logger } from '../../../kernel/log/log.ts';
import { dayStart } from '../../../kernel/values/days.ts';
import { PeriodicTask } from '../../../kernel/work/upkeep.ts';
import type { EventPartitions } from './event.partitions.ts';

const EVERY_MS = 600_000;
/** Deliveries that one statement deletes: those that are made meanwhile do not wait for it. */
const BATCH = 1_000;

export interface RetentionParts {
  rows: Rows;
  partitions: EventPartitions;
  /** Whole days that an event is kept. */
  days: number;
  clock: Clock;
  log: Logger;
}

/** The first instant of which the log keeps everything: of whole days (UTC). */
export const keptFrom = (now: Date, days: number): Date => dayStart(now, -days);

/** Forgets what is older than the log is kept: the records of deliveries, then the events, a day at a time. */
export class Retention extends PeriodicTask {
  constructor(private readonly parts: RetentionParts) {
    super({ name: 'events.log', everyMs: EVERY_MS, log: parts.log });
  }

  /** What was replayed late outlives its event; where it is still to be delivered then, it is skipped. */
  override async run(stopping?: AbortSignal): Promise<void> {
    const { clock, days, partitions } = this.parts;
    const first = keptFrom(clock.now(), days);
    while (await this.#deleteDeliveries(first)) if (stopping?.aborted) return;
    await partitions.dropBefore(first);
  }

  /** Whether there may be more. */
  async #deleteDeliveries(before: Date): Promise<boolean> {
    const deleted = await this.parts.rows.query(
      `delete from "events"."delivery" where "id" in (
         select d."id" from "events"."webhook" w cross join lateral (
           select "id" from "events"."delivery" where "webhook_id" = w."id" and "created_at" < $1 order by "created_at" limit ${BATCH}
         ) d limit ${BATCH}) returning 1`,
      [before],
    );
    return deleted.length === BATCH;
  }
}
