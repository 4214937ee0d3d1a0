import type { EntityManager } from '../../../kernel/database/database.ts';
import { record } from '../../../kernel/events/outbox.ts';
import { HOUR_MS } from '../../../kernel/values/days.ts';
import type { Service } from '../inventory/service.entity.ts';
import { usageRecorded } from './usage.events.ts';

const BYTES_PER_GB = 1_000_000_000;

/**
 * Records the traffic of a service from `from` to `until`, with one event for each hour that has samples. If `until` is null,
 * there is no end; if `from` is null, nothing is recorded. The caller must have locked the row of the service in
 * `service_measurement`, so that each hour is recorded once.
 */
export async function recordUsage(tx: EntityManager, service: Service, from: Date | null, until: Date | null, now: Date): Promise<void> {
  if (!from || (until && until <= from)) return;
  const hours = await tx.execute<{ hour: Date | string; bytes: number | string }[]>(
    `select date_trunc('hour', "at", 'UTC') as "hour", sum("transferred_bytes")::float8 as "bytes" from "services"."service_sample"
     where "service_id" = ? and "site_id" = '' and "at" >= ? and "at" < coalesce(?::timestamptz, 'infinity') and "transferred_bytes" is not null
     group by 1 order by 1`,
    [service.id, from.toISOString(), until?.toISOString() ?? null],
  );
  for (const { hour, bytes } of hours) {
    const start = new Date(hour);
    await record(
      tx,
      usageRecorded(service, { start, end: new Date(start.getTime() + HOUR_MS), gigabytes: Number(bytes) / BYTES_PER_GB }, now),
    );
  }
  if (!until) return;
  await tx.execute('update "services"."service_measurement" set "usage_from" = ? where "service_id" = ?', [
    until.toISOString(),
    service.id,
  ]);
}
