import type { EntityManager } from '../../../kernel/database/database.ts';
import { Decimal } from '../../../kernel/values/money.ts';
import type { UsageMetric } from '../usage-prices/usage-metric.states.ts';
import type { PricedService } from '../usage-prices/usage-scope.ts';
import type { MeteredBill } from './metered-lines.ts';

/** The usage of one service, in one metric, on one day. */
export interface UsedDay extends PricedService {
  metric: UsageMetric;
  day: string;
  quantity: Decimal;
  /** Exact cost of the usage, if the price was known when the usage was recorded. Null if the price of the billing period applies. */
  amount: Decimal | null;
  /** Part of `quantity` that was already billed. */
  billedQuantity: Decimal;
}

/** Billed usage of one metric in a period. The numbers are texts, so that they stay exact. */
export interface BilledMetric {
  quantity: string;
  amount: string;
}

/** A period of a service whose usage was billed. */
export interface BilledPeriod {
  firstDay: string;
  lastDay: string;
  currency: string;
  billed: Partial<Record<UsageMetric, BilledMetric>>;
}

interface Days {
  organizationId: string;
  serviceIds: readonly string[];
  since: string;
  until: string;
}

interface DayRow {
  service_id: string;
  metric: UsageMetric;
  day: string;
  category: string | null;
  type: string;
  service_type: string;
  quantity: string;
  amount: string | null;
  billed_quantity: string;
}

/** Reads the usage of services from `since` to `until` (both inclusive), oldest first. */
export async function usedDays(tx: EntityManager, { organizationId, serviceIds, since, until }: Days): Promise<UsedDay[]> {
  const rows = await tx.execute<DayRow[]>(
    `select "service_id", "metric", "day"::text as "day", "category", "type", "service_type", "quantity"::text as "quantity",
       "amount"::text as "amount", "billed_quantity"::text as "billed_quantity"
     from "billing"."usage_day" where "organization_id" = ? and "service_id" = any(${IDS}) and "day" >= ?::date and "day" <= ?::date
     order by "day", "metric"`,
    [organizationId, JSON.stringify(serviceIds), since, until],
  );
  return rows.map(
    ({ service_id: serviceId, metric, day, category, type, service_type: serviceType, quantity, amount, billed_quantity: billed }) => ({
      ...{ serviceId, metric, day, category, type, serviceType },
      ...{ quantity: new Decimal(quantity), amount: amount === null ? null : new Decimal(amount), billedQuantity: new Decimal(billed) },
    }),
  );
}

/** Returns which of these services of one organization have usage that was not billed yet. */
export async function unbilledServices(
  tx: EntityManager,
  services: readonly { organizationId: string; serviceId: string }[],
): Promise<Set<string>> {
  const organizationId = services[0]?.organizationId;
  if (organizationId === undefined) return new Set();
  const ids = JSON.stringify(services.map(({ serviceId }) => serviceId));
  const rows = await tx.execute<{ service_id: string }[]>(
    `select distinct "service_id" from "billing"."usage_day"
     where "organization_id" = ? and "quantity" > "billed_quantity"
       and "service_id" in (select json_array_elements_text(?::json))`,
    [organizationId, ids],
  );
  return new Set(rows.map((row) => row.service_id));
}

/** SQL that converts a JSON array of texts to an array of texts. */
const IDS = `array(select json_array_elements_text(?::json))`;

interface PeriodRow {
  service_id: string;
  first_day: string;
  last_day: string;
  currency: string;
  billed: string;
}

/** Reads the billed periods of services that end at `since` or later, oldest first. */
export async function billedPeriods(
  tx: EntityManager,
  { organizationId, serviceIds, since }: Omit<Days, 'until'>,
): Promise<(BilledPeriod & { serviceId: string })[]> {
  const rows = await tx.execute<PeriodRow[]>(
    `select "service_id", "first_day"::text as "first_day", "last_day"::text as "last_day", "currency", "billed"::text as "billed"
     from "billing"."usage_period" where "organization_id" = ? and "service_id" = any(${IDS}) and "last_day" >= ?::date order by "first_day"`,
    [organizationId, JSON.stringify(serviceIds), since],
  );
  return rows.map(({ service_id: serviceId, first_day: firstDay, last_day: lastDay, currency, billed }) => ({
    ...{ serviceId, firstDay, lastDay, currency, billed: JSON.parse(billed) as BilledPeriod['billed'] },
  }));
}

/** Thrown if another transaction has billed the usage since it was read. The transaction that throws this error must not be committed. */
export class UsageAlreadyBilled extends Error {
  constructor() {
    super('The usage was billed by another transaction.');
    this.name = 'UsageAlreadyBilled';
  }
}

/**
 * Marks usage as billed, in the transaction of the invoice. One call locks days in the same order as the recording of usage does. Several
 * calls in one transaction can cause a deadlock with a transaction that records usage. One of both transactions is rolled back and
 * repeated.
 * @throws UsageAlreadyBilled, or UniqueConstraintViolationException for a period that was billed already
 */
export async function markBilled(tx: EntityManager, bills: readonly MeteredBill[]): Promise<void> {
  const organizationId = bills[0]?.of.organizationId;
  if (organizationId === undefined) return;
  await markPeriods(tx, organizationId, bills);
  const days = bills.flatMap((bill) => bill.days);
  if (days.length === 0) return;
  const rows = days.map(({ serviceId: service_id, metric, day, quantity, billedQuantity }) => ({
    ...{ service_id, metric, day, quantity: quantity.toFixed(), before: billedQuantity.toFixed() },
  }));
  const [row] = await tx.execute<{ count: number | string }[]>(MARK_DAYS, [JSON.stringify(rows), organizationId, organizationId]);
  if (Number(row?.count) !== days.length) throw new UsageAlreadyBilled();
}

async function markPeriods(tx: EntityManager, organizationId: string, bills: readonly MeteredBill[]): Promise<void> {
  const fresh = bills.flatMap(({ of, periods }) => periods.flatMap(({ before, after }) => (before ? [] : [{ of, after }])));
  if (fresh.length > 0)
    await tx.execute(
      `insert into "billing"."usage_period" values ${fresh.map(() => '(?, ?, ?::date, ?::date, ?, ?::jsonb)').join(', ')}`,
      fresh.flatMap(({ of, after: { firstDay, lastDay, currency, billed } }) => [
        ...[organizationId, of.serviceId, firstDay, lastDay, currency, JSON.stringify(billed)],
      ]),
    );
  for (const { of, periods } of bills) {
    for (const { before, after } of periods) {
      if (!before) continue;
      const { firstDay, billed } = after;
      const rows = await tx.execute<object[]>(
        `update "billing"."usage_period" set "billed" = ?::jsonb where "organization_id" = ? and "service_id" = ? and "first_day" = ?::date
           and "billed" = ?::jsonb returning 1`,
        [JSON.stringify(billed), organizationId, of.serviceId, firstDay, JSON.stringify(before.billed)],
      );
      if (rows.length === 0) throw new UsageAlreadyBilled();
    }
  }
}

const MARK_DAYS = `
  with "given" as (
    select * from json_to_recordset(?::json) as g("service_id" text, "metric" text, "day" date, "quantity" numeric, "before" numeric)
  ), "locked" as materialized (
    select d."service_id", d."metric", d."day", g."quantity", g."before" from "billing"."usage_day" d
    join "given" g on g."service_id" = d."service_id" and g."metric" = d."metric" and g."day" = d."day"
    where d."organization_id" = ? order by d."service_id", d."metric", d."day" for update of d
  ), "marked" as (
    update "billing"."usage_day" d set "billed_quantity" = l."quantity" from "locked" l
    where d."organization_id" = ? and d."service_id" = l."service_id" and d."metric" = l."metric" and d."day" = l."day" and d."billed_quantity" = l."before"
    returning 1
  )
  select count(*) as "count" from "marked"`;
