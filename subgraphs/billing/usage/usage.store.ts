import { DeadlockException } from '@mikro-orm/core';
import type { DailyPartitions } from '../../../kernel/partitions/daily-partitions.ts';
import type { Decimal } from '../../../kernel/values/money.ts';
import { localDay } from '../calculation/billing-periods.ts';
import type { UsageMetric } from '../usage-prices/usage-metric.states.ts';
import type { MeteredService } from './metered-services.ts';

/** A usage event that passed all checks. `source` and `id` identify it within its organization. */
export interface UsageEvent {
  source: string;
  id: string;
  service: MeteredService;
  metric: UsageMetric;
  quantity: Decimal;
  /** Price of one unit, if it is known when the usage is recorded. Default: the price that applies when the usage is billed. */
  unitPrice?: Decimal;
  occurredAt: Date;
}

const ATTEMPTS = 3;

/** Stores usage events and the sums of each service, metric and day. */
export class UsageStore {
  constructor(private readonly partitions: DailyPartitions) {}

  /**
   * Stores usage events, each only once. Skips events whose source and id are already stored. The same statement updates the daily sums.
   * Returns the number of new events.
   */
  async write(organizationId: string, events: readonly UsageEvent[], now: Date): Promise<number> {
    const rows = rowsOf(events);
    if (rows.length === 0) return 0;
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.#write(organizationId, rows, now);
      } catch (error) {
        // an invoice may lock the days of its services in another order. Nothing was stored, so the statement is repeated
        if (!(error instanceof DeadlockException) || attempt === ATTEMPTS) throw error;
      }
    }
  }

  async #write(organizationId: string, rows: readonly object[], now: Date): Promise<number> {
    let stored = 0;
    await this.partitions.writing([now], async (tx) => {
      const [row] = await tx.execute<{ stored: number | string }[]>(WRITE, [
        ...[JSON.stringify(rows), organizationId, organizationId, now.toISOString(), organizationId],
      ]);
      stored = Number(row?.stored ?? 0);
    });
    return stored;
  }
}

/** Converts events to rows of the insert statement. Of several events with the same source and id, only the first counts. */
function rowsOf(events: readonly UsageEvent[]): object[] {
  const seen = new Set<string>();
  const dayOf = localDays();
  return events.flatMap(({ source, id, service, metric, quantity, unitPrice, occurredAt }) => {
    const key = JSON.stringify([source, id]);
    if (seen.has(key)) return [];
    seen.add(key);
    const { serviceId: service_id, accountId: account_id, category, type, serviceType: service_type, currency, zone } = service;
    const day = dayOf(occurredAt, zone);
    const row = { source, id, service_id, account_id, category, type, service_type, currency, metric, day };
    const amount = unitPrice ? quantity.times(unitPrice).toFixed() : null;
    return [{ ...row, quantity: quantity.toFixed(), amount, occurred_at: occurredAt.toISOString() }];
  });
}

/** A quarter of an hour. Time zones change their offset only at multiples of this time. */
const QUARTER_MS = 900_000;

/** Returns a function that returns local days. It caches the days, because most events of a batch have similar times. */
function localDays(): (at: Date, zone: string) => string {
  const known = new Map<string, string>();
  return (at, zone) => {
    const key = `${Math.floor(at.getTime() / QUARTER_MS)} ${zone}`;
    const day = known.get(key) ?? localDay(at, zone);
    known.set(key, day);
    return day;
  };
}

/**
 * SQL that stores keys, events and sums in one statement, so that an event is stored with all three or not at all. Keys and sums are
 * written in a fixed order, so that concurrent batches wait for each other and do not cause a deadlock.
 */
const WRITE = `
  with "given" as (
    select * from json_to_recordset(?::json) as g("source" text, "id" text, "service_id" text, "account_id" text, "category" text, "type" text,
      "service_type" text, "currency" text, "metric" text, "day" date, "quantity" numeric, "amount" numeric, "occurred_at" timestamptz)
  ), "new" as (
    insert into "billing"."usage_key" ("organization_id", "source", "id", "occurred_at")
    select ?, "source", "id", "occurred_at" from "given" order by "source", "id"
    on conflict do nothing returning "source", "id"
  ), "counted" as materialized (
    select g.* from "given" g join "new" n on n."source" = g."source" and n."id" = g."id"
  ), "stored" as (
    insert into "billing"."usage_event" ("organization_id", "source", "id", "account_id", "service_id", "metric", "quantity", "amount", "occurred_at", "recorded_at")
    select ?, "source", "id", "account_id", "service_id", "metric", "quantity", "amount", "occurred_at", ?::timestamptz from "counted"
  ), "summed" as (
    insert into "billing"."usage_day" ("organization_id", "service_id", "metric", "day", "account_id", "category", "type", "service_type", "currency",
      "quantity", "amount", "events")
    select ?, "service_id", "metric", "day", min("account_id"), min("category"), min("type"), min("service_type"), min("currency"),
      sum("quantity"), sum("amount"), count(*)
    from "counted" group by "service_id", "metric", "day" order by "service_id", "metric", "day"
    on conflict ("organization_id", "service_id", "metric", "day") do update set
      "quantity" = "usage_day"."quantity" + excluded."quantity",
      "amount" = case when excluded."amount" is null then "usage_day"."amount" else coalesce("usage_day"."amount", 0) + excluded."amount" end,
      "events" = "usage_day"."events" + excluded."events"
  )
  select count(*) as "stored" from "counted"`;
