import type { Clock } from '../../../kernel/clock.ts';
import type { Rows } from '../../../kernel/database/database.ts';
import type { Graph } from '../../../kernel/graph.ts';
import { orNotFound } from '../../../kernel/records/records.ts';
import type { RequestContext } from '../../../kernel/request.ts';
import { dateOf } from '../../../kernel/values/days.ts';
import { Decimal, sum } from '../../../kernel/values/money.ts';
import { findCustomers } from '../customers/customer.ts';
import { DEFAULT_CURRENCY } from '../invoices/invoice-pricing.ts';
import type { AnalyticsGroup, AnalyticsPeriod } from './analytics.states.ts';
import type { BillingAnalytics, RecurringRevenue } from './analytics.types.ts';
import { type Days, daysOf, lastDays } from './analytics-period.ts';
import { type Revenue, RevenueStore } from './revenue.store.ts';

/** Number of days whose invoiced amount is compared with the unpaid amount, to compute the days sales outstanding (DSO). */
const DSO_DAYS = 90;
/** Maximum number of groups (months or accounts) in a billing analysis. A period of a year has 12 months. */
const GROUPS_MAX = 100;
const ZERO = new Decimal(0);

export interface AnalyticsServiceDeps {
  rows: Rows;
  request: RequestContext;
  clock: Clock;
  graph: Graph;
}

export interface AnalyticsRequest {
  period: AnalyticsPeriod;
  groupBy: AnalyticsGroup | null;
  accountId: string | null;
  currency: string | null;
}

/** Computes the key figures of billing (specification 4.5) from daily sums, never from invoices. */
export class AnalyticsService {
  constructor(private readonly deps: AnalyticsServiceDeps) {}

  /**
   * Returns the billing figures of an account, or of all accounts that the caller sees.
   * @throws ResourceNotFound if the caller does not see the account
   */
  async read({ period, groupBy, accountId, currency: asked }: AnalyticsRequest): Promise<BillingAnalytics> {
    const { clock, graph, request } = this.deps;
    if (accountId) orNotFound((await findCustomers(graph, request, [accountId])).get(accountId), 'account', accountId);
    const now = clock.now();
    const days = daysOf(period, now);
    const store = this.#store(accountId);
    const [revenue, due] = await Promise.all([store.byCurrency(days), store.due(dateOf(now))]);
    const currency = asked ?? revenue[0]?.currency ?? due[0]?.currency ?? (await store.recurringCurrency()) ?? DEFAULT_CURRENCY;
    const parts = due.find((one) => one.currency === currency)?.parts ?? [];
    const [notDue = ZERO, days30 = ZERO, days60 = ZERO, days90 = ZERO, older = ZERO] = parts;
    const { successful, failed, currency: _, ...moved } = revenue.find((one) => one.currency === currency) ?? NOTHING;
    const outstanding = sum(parts);
    const others = [...revenue, ...due].map((one) => one.currency).filter((one) => one !== currency);
    return {
      ...{ period, from: new Date(days.first), to: new Date(days.last), currency, otherCurrencies: [...new Set(others)].sort() },
      ...moved,
      ...{ outstanding, overdue: outstanding.minus(notDue), ageing: { notDue, days30, days60, days90, older } },
      recurring: await recurringOf(store, currency, days),
      payments: { successful, failed, successRate: percentOf(new Decimal(successful), new Decimal(successful + failed)) },
      daysSalesOutstanding: await salesOutstanding(store, currency, outstanding, now),
      groups: groupBy ? await store.grouped(groupBy, currency, days, GROUPS_MAX) : [],
    };
  }

  /**
   * Returns the sum of the monthly prices of services at a point in time. It is exact to the day (UTC), and includes
   * the changes of today.
   */
  async recurringAt({ accountId, currency }: { accountId: string | null; currency: string }, at: Date): Promise<Decimal> {
    const isNow = at >= this.deps.clock.now();
    const movements = await this.#store(accountId).movements(currency, isNow ? {} : { last: dateOf(at) });
    return sum(Object.values(movements));
  }

  #store(accountId: string | null): RevenueStore {
    const { organizationId, accounts } = this.deps.request.principal;
    const seen = accountId ? [accountId].filter((id) => !accounts || accounts.includes(id)) : accounts;
    return new RevenueStore(this.deps.rows, { organizationId, accounts: seen });
  }
}

const NOTHING: Revenue = { invoiced: ZERO, collected: ZERO, refunded: ZERO, credited: ZERO, successful: 0, failed: 0, currency: '' };

async function recurringOf(store: RevenueStore, currency: string, days: Days): Promise<RecurringRevenue> {
  const [before, changes] = await Promise.all([store.movements(currency, { last: days.first }), store.movements(currency, days)]);
  const atStart = sum(Object.values(before));
  return { ...changes, atStart, monthly: atStart.plus(sum(Object.values(changes))) };
}

async function salesOutstanding(store: RevenueStore, currency: string, outstanding: Decimal, now: Date): Promise<Decimal | null> {
  const recent = await store.byCurrency(lastDays(DSO_DAYS, now));
  const invoiced = recent.find((one) => one.currency === currency)?.invoiced ?? ZERO;
  return invoiced.greaterThan(0) ? rounded(outstanding.times(DSO_DAYS).div(invoiced)) : null;
}

const percentOf = (part: Decimal, whole: Decimal): Decimal | null => (whole.isZero() ? null : rounded(part.times(100).div(whole)));
const rounded = (value: Decimal): Decimal => value.toDecimalPlaces(2, Decimal.ROUND_HALF_UP);
