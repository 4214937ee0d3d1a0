import DataLoader from 'dataloader';
import type { Clock } from '../../../kernel/clock.ts';
import type { Rows } from '../../../kernel/database/database.ts';
import { refuse } from '../../../kernel/errors/errors.ts';
import type { Graph } from '../../../kernel/graph.ts';
import { orNotFound } from '../../../kernel/records/records.ts';
import type { RequestContext } from '../../../kernel/request.ts';
import { startOfDay } from '../../../kernel/values/local-time.ts';
import { Decimal, sum } from '../../../kernel/values/money.ts';
import { localDay } from '../calculation/billing-periods.ts';
import { findCustomers } from '../customers/customer.ts';
import { DEFAULT_CURRENCY } from '../invoices/invoice-pricing.ts';
import type { CostFilter } from './cost.inputs.ts';
import { CostCategory, CostDimension, CostStep } from './cost.states.ts';
import { type CostQuery, readCosts } from './cost.store.ts';
import type { CostAnalysis, CostBreakdown, CostPoint, CostScope } from './cost.types.ts';
import { addMonths, firstDay, MONTHS_MAX, monthsBetween } from './months.ts';
import { savingsOf } from './savings.ts';

/** Maximum number of cost points in one response. */
const POINTS_MAX = 1000;
const YEAR = 12;

export interface CostServiceDeps {
  rows: Rows;
  request: RequestContext;
  clock: Clock;
  graph: Graph;
  /** Returns the sum of the monthly prices of services at a point in time, from the service of recurring revenue. */
  recurringAt(scope: { accountId: string | null; currency: string }, at: Date): Promise<Decimal>;
}

/** Reads the costs of services in each month (specification 2.6, 4.5). */
export class CostService {
  readonly #ofServices = new Map<number, DataLoader<string, CostPoint[]>>();
  readonly #ofAccounts = new Map<number, DataLoader<string, CostPoint[]>>();

  constructor(private readonly deps: CostServiceDeps) {}

  /**
   * Returns the costs of the current month and year, of one account of all accounts that the caller sees, or of single services. Months begin at midnight in
   * the time zone of the account, or in UTC for all accounts.
   * @throws ResourceNotFound for the account
   */
  async analyse(accountId: string | null, currency: string | null, serviceIds: readonly string[] | null = null): Promise<CostAnalysis> {
    const zone = accountId ? await this.#zoneOf(accountId) : 'UTC';
    const month = localDay(this.deps.clock.now(), zone).slice(0, 7);
    const january = `${month.slice(0, 4)}-01`;
    const points = await this.#read({ accountId, serviceIds, from: january, to: month, by: { category: true }, step: CostStep.MONTH });
    const chosen = currency ?? highest(points) ?? DEFAULT_CURRENCY;
    const inCurrency = points.filter((point) => point.currency === chosen);
    const now = inCurrency.filter((point) => point.month === month);
    const scope = { accountId, serviceIds, currency: chosen };
    return {
      currency: chosen,
      otherCurrencies: [...new Set(points.map((point) => point.currency))].filter((one) => one !== chosen),
      currentMonth: { total: totalOf(now), breakdown: breakdownOf(now) },
      yearToDate: totalOf(inCurrency),
      trends: { scope, monthlyGrowth: await this.#growth(scope, startOfDay(firstDay(month), zone)) },
    };
  }

  /** Returns the amount per month that the services would save at the current catalog prices. Null if there are too many services, and for single services. */
  async savings({ accountId, serviceIds, currency }: CostScope): Promise<Decimal | null> {
    const { graph, request } = this.deps;
    return serviceIds ? null : savingsOf(graph, request, accountId, currency);
  }

  /**
   * Lists the costs of each period, oldest first.
   * @throws InvalidParameters if the response would have too many months or points
   */
  async list({ serviceId, from, to, ...filter }: CostFilter, groupBy: readonly CostDimension[], step: CostStep): Promise<CostPoint[]> {
    const month = localDay(this.deps.clock.now(), 'UTC').slice(0, 7);
    const last = to ?? (from && from > month ? from : month);
    const first = from ?? addMonths(last, 1 - YEAR);
    refuse(
      monthsBetween(first, last) > MONTHS_MAX
        ? [{ field: 'from', value: first, reason: `must be at most ${MONTHS_MAX} months before the last month` }]
        : [],
    );
    const by = {
      account: groupBy.includes(CostDimension.ACCOUNT),
      service: groupBy.includes(CostDimension.SERVICE),
      category: groupBy.includes(CostDimension.CATEGORY),
    };
    const serviceIds = serviceId ? [serviceId] : null;
    const points = await this.#read({ ...filter, serviceIds, from: first, to: last, by, step, limit: POINTS_MAX + 1 });
    const isTooLong = points.length > POINTS_MAX;
    refuse(
      isTooLong
        ? [{ field: 'groupBy', reason: `must give at most ${POINTS_MAX} values; use a filter, a longer step or fewer groups` }]
        : [],
    );
    return points;
  }

  /**
   * Lists the costs of a service in the last months. One statement reads the costs of all services that a request needs
   * at the same time.
   */
  ofService(id: string, months: number): Promise<CostPoint[]> {
    return lazily(this.#ofServices, months, async (ids) => {
      const points = await this.#recent(months, { serviceIds: ids, by: { service: true } });
      return ids.map((one) => points.filter(({ serviceId }) => serviceId === one));
    }).load(id);
  }

  /** Lists the costs of an account in the last months, as `ofService` does. */
  ofAccount(id: string, months: number): Promise<CostPoint[]> {
    return lazily(this.#ofAccounts, months, async (ids) => {
      const { accounts } = this.deps.request.principal;
      const seen = accounts ? ids.filter((one) => accounts.includes(one)) : ids;
      const points = await this.#recent(months, { accounts: seen, by: { account: true } });
      return ids.map((one) => points.filter(({ accountId }) => accountId === one));
    }).load(id);
  }

  #recent(months: number, query: Partial<CostQuery> & Pick<CostQuery, 'by'>): Promise<CostPoint[]> {
    refuse(months < 1 || months > MONTHS_MAX ? [{ field: 'months', value: months, reason: `must be between 1 and ${MONTHS_MAX}` }] : []);
    const to = localDay(this.deps.clock.now(), 'UTC').slice(0, 7);
    return this.#read({ ...query, from: addMonths(to, 1 - months), to, step: CostStep.MONTH, limit: 100_000 });
  }

  #read(query: Partial<CostQuery> & Pick<CostQuery, 'from' | 'to' | 'step' | 'by'>): Promise<CostPoint[]> {
    const { organizationId, accounts } = this.deps.request.principal;
    return readCosts(this.deps.rows, { limit: POINTS_MAX, organizationId, accounts, ...query });
  }

  async #zoneOf(accountId: string): Promise<string> {
    const { graph, request } = this.deps;
    const found = await findCustomers(graph, request, [accountId]);
    return orNotFound(found.get(accountId), 'account', accountId).timezone;
  }

  async #growth(scope: CostScope, monthStart: Date): Promise<Decimal | null> {
    const { recurringAt, clock } = this.deps;
    if (scope.serviceIds) return null;
    const before = await recurringAt(scope, monthStart);
    if (before.isZero()) return null;
    const change = (await recurringAt(scope, clock.now())).minus(before);
    return change.times(100).div(before).toDecimalPlaces(2, Decimal.ROUND_HALF_UP);
  }
}

function lazily<V>(
  loaders: Map<number, DataLoader<string, V>>,
  key: number,
  read: (ids: readonly string[]) => Promise<V[]>,
): DataLoader<string, V> {
  const loader = loaders.get(key) ?? new DataLoader(read);
  loaders.set(key, loader);
  return loader;
}

const totalOf = (points: readonly CostPoint[]): Decimal => sum(points.map(({ amount }) => amount));

/** Adds costs by category. */
export const breakdownOf = (points: readonly CostPoint[]): CostBreakdown =>
  Object.fromEntries(
    Object.values(CostCategory).map((category) => [category, totalOf(points.filter((point) => point.category === category))]),
  ) as unknown as CostBreakdown;

/** Returns the currency with the highest costs; undefined if there are none. */
function highest(points: readonly CostPoint[]): string | undefined {
  const totals = [...new Set(points.map(({ currency }) => currency))].map((currency) => {
    return { currency, total: totalOf(points.filter((point) => point.currency === currency)) };
  });
  return totals.sort((one, other) => other.total.comparedTo(one.total))[0]?.currency;
}
