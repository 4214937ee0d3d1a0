import type { Accounts } from '../../../kernel/access/principal.ts';
import type { Rows } from '../../../kernel/database/database.ts';
import { Decimal } from '../../../kernel/values/money.ts';
import type { UsageMetric } from '../usage-prices/usage-metric.states.ts';
import type { PricedService } from '../usage-prices/usage-scope.ts';

/** The usage of one service in one metric and one month, such as `2026-01`. */
export interface UsedMonth extends PricedService {
  metric: UsageMetric;
  currency: string;
  month: string;
  quantity: Decimal;
  /** Exact cost of the usage, if the price was known when the usage was recorded. Null if the price of the month applies. */
  amount: Decimal | null;
}

/** Filter for the usage in a report. */
export interface UsageSelection {
  organizationId: string;
  /** Accounts whose usage is included. Null means all accounts. */
  accounts: Accounts;
  firstDay: string;
  lastDay: string;
  /** Includes only services of this category, type or subtype. */
  serviceType?: string | null;
  /** Ids of the services to include. Default: all services. */
  serviceIds?: readonly string[];
}

interface MonthRow {
  service_id: string;
  metric: UsageMetric;
  month: string;
  category: string | null;
  type: string;
  service_type: string;
  currency: string;
  quantity: string;
  amount: string | null;
}

/** Returns the sum of the selected usage for each service, metric and month, sorted in this order. An index serves the daily sums. */
export async function usedMonths(rows: Rows, selection: UsageSelection): Promise<UsedMonth[]> {
  const { where, values } = conditionOf(selection);
  const found = await rows.query<MonthRow>(
    `select "service_id", "metric", to_char(date_trunc('month', "day"::timestamp), 'YYYY-MM') as "month", min("category") as "category", min("type") as "type",
       min("service_type") as "service_type", min("currency") as "currency", sum("quantity")::text as "quantity",
       sum("amount")::text as "amount"
     from "billing"."usage_day" where ${where} group by "service_id", "metric", date_trunc('month', "day"::timestamp) order by "service_id", "metric", 3`,
    values,
  );
  return found.map(({ service_id: serviceId, service_type: serviceType, quantity, amount, ...row }) => ({
    ...row,
    ...{ serviceId, serviceType, quantity: new Decimal(quantity), amount: amount === null ? null : new Decimal(amount) },
  }));
}

export interface UsedOnDay {
  serviceId: string;
  metric: UsageMetric;
  date: string;
  usage: Decimal;
}

/** Returns the selected usage of each day, oldest first. */
export async function usedByDay(rows: Rows, selection: UsageSelection): Promise<UsedOnDay[]> {
  const { where, values } = conditionOf(selection);
  const found = await rows.query<{ service_id: string; metric: UsageMetric; day: string; quantity: string }>(
    `select "service_id", "metric", "day"::text as "day", "quantity"::text as "quantity" from "billing"."usage_day" where ${where} order by "day"`,
    values,
  );
  return found.map(({ service_id: serviceId, metric, day: date, quantity }) => ({ serviceId, metric, date, usage: new Decimal(quantity) }));
}

/** Returns the selected usage of all services together on each day with usage, oldest first. */
export async function usedPerDay(rows: Rows, selection: UsageSelection): Promise<Omit<UsedOnDay, 'serviceId'>[]> {
  const { where, values } = conditionOf(selection);
  const found = await rows.query<{ metric: UsageMetric; day: string; quantity: string }>(
    `select "metric", "day"::text as "day", sum("quantity")::text as "quantity" from "billing"."usage_day" where ${where} group by 1, 2 order by 2, 1`,
    values,
  );
  return found.map(({ metric, day: date, quantity }) => ({ metric, date, usage: new Decimal(quantity) }));
}

function conditionOf({ organizationId, accounts, firstDay, lastDay, serviceType, serviceIds }: UsageSelection) {
  const values: unknown[] = [organizationId, firstDay, lastDay];
  const parameter = (value: unknown): string => `$${values.push(value)}`;
  const conditions = [`"organization_id" = $1 and "day" >= $2::date and "day" <= $3::date`];
  if (accounts) conditions.push(`"account_id" = any(${parameter([...accounts])}::text[])`);
  if (serviceType) conditions.push(`${parameter(serviceType)} in ("category", "type", "service_type")`);
  if (serviceIds) conditions.push(`"service_id" = any(${parameter([...serviceIds])}::text[])`);
  return { where: conditions.join(' and '), values };
}
