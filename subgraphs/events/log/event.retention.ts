import type { Clock } from '../../../kernel/clock.ts';
import type { Rows } from '../../../kernel/database/database.ts';
import type { DailyPartitions } from '../../../kernel/partitions/daily-partitions.ts';
import { dayStart } from '../../../kernel/values/days.ts';
import type { Retained } from '../../../kernel/work/retention.ts';

/**
 * Number of deliveries that one statement deletes. The number is small, so that concurrent changes wait only for a
 * short statement.
 */
const BATCH = 1_000;

export interface EventRetentionParts {
  rows: Rows;
  partitions: DailyPartitions;
  /** Number of whole days for which the log keeps events. */
  days: number;
  clock: Clock;
}

/** Returns the time from which on events are kept: the start of the day (UTC) that is `days` days before today. */
export const keptFrom = (now: Date, days: number): Date => dayStart(now, -days);

/**
 * Returns the tasks that delete deliveries and events that are older than the retention time. Deliveries are deleted
 * first, then the events of one day at a time. A delivery that a late replay created may be kept longer than its event.
 * If this delivery is still pending when the event is deleted, it is skipped.
 */
export function eventRetention({ rows, partitions, days, clock }: EventRetentionParts): Retained[] {
  const first = (): Date => keptFrom(clock.now(), days);
  const deliveries: Retained = {
    name: 'events.delivery',
    async count() {
      const sql = `select count(*)::int as count from "events"."delivery" d join "events"."webhook" w on w."id" = d."webhook_id" where d."created_at" < $1`;
      return (await rows.query<{ count: number }>(sql, [first()]))[0]?.count ?? 0;
    },
    async delete(stopping) {
      let deleted = 0;
      for (let batch = BATCH; batch === BATCH && !stopping?.aborted; ) {
        batch = await deleteDeliveries(rows, first());
        deleted += batch;
      }
      return deleted;
    },
  };
  const events: Retained = {
    name: 'events.event_log',
    count: () => partitions.countBefore(first()),
    delete: async (stopping) => (stopping?.aborted ? 0 : partitions.dropBefore(first())),
  };
  return [deliveries, events];
}

async function deleteDeliveries(rows: Rows, before: Date): Promise<number> {
  const deleted = await rows.query(
    `delete from "events"."delivery" where "id" in (
       select d."id" from "events"."webhook" w cross join lateral (
         select "id" from "events"."delivery" where "webhook_id" = w."id" and "created_at" < $1 order by "created_at" limit ${BATCH}
       ) d limit ${BATCH}) returning 1`,
    [before],
  );
  return deleted.length;
}
