import { parse } from 'graphql';
import type { Accounts } from '../../../kernel/access/principal.ts';
import type { Clock } from '../../../kernel/clock.ts';
import type { EntityManager, Rows } from '../../../kernel/database/database.ts';
import { refuse } from '../../../kernel/errors/errors.ts';
import type { Graph } from '../../../kernel/graph.ts';
import { orNotFound } from '../../../kernel/records/records.ts';
import type { RequestContext } from '../../../kernel/request.ts';
import { Decimal, roundTo } from '../../../kernel/values/money.ts';
import { METRICS, type UsageMetric, unitOf } from '../usage-prices/usage-metric.states.ts';
import { UsagePriceBook } from '../usage-prices/usage-price-book.ts';
import { meteredServices } from './metered-services.ts';
import type { RecurringCosts } from './recurring-costs.ts';
import type { ReportQuery } from './report-query.values.ts';
import { UsageReportPeriod } from './usage.states.ts';
import type { CurrencyCost, ServiceUsage, UsageDay, UsageReport, UsageReportRow, UsageTotal } from './usage.types.ts';
import { costOf, type MetricUsage, metricUsages, totalOf } from './usage-costs.ts';
import { monthPeriod, type ReportDays, reportDays } from './usage-period.ts';
import { type UsageSelection, usedByDay, usedMonths } from './usage-report.store.ts';
import { totalUsageOf } from './usage-totals.ts';

const ROWS_DEFAULT = 50;
/** Maximum number of rows of a detailed report. A row can have 366 days. */
const DETAILED_MAX = 50;
/** Currency of a report that contains no costs. */
const DEFAULT_CURRENCY = 'USD';

const ACCOUNT = parse('query UsageAccount($id: ID!) { account(id: $id) { timezone } }');

export interface UsageReportServiceDeps {
  em: EntityManager;
  rows: Rows;
  request: RequestContext;
  graph: Graph;
  clock: Clock;
  recurring: RecurringCosts;
}

/**
 * Reports the usage of services and its cost (specification 4.5). Costs are estimates for calendar months; invoices use
 * billing periods.
 */
export class UsageReportService {
  constructor(private readonly deps: UsageReportServiceDeps) {}

  /**
   * Returns the report of a period.
   * @throws InvalidParameters for a detailed report with too many rows; ResourceNotFound for an unknown account
   */
  async report(query: ReportQuery): Promise<UsageReport> {
    const { request, rows, clock, recurring } = this.deps;
    const { period = UsageReportPeriod.CURRENT_MONTH, serviceType, detailed, limit, offset } = query;
    const size = limit ?? ROWS_DEFAULT;
    refuse(
      detailed && size > DETAILED_MAX
        ? [{ field: 'limit', value: size, reason: `must be at most ${DETAILED_MAX} for a detailed report` }]
        : [],
    );
    const { organizationId } = request.principal;
    const { accounts, zone } = await this.#scope(query.accountId);
    const days = reportDays(period ?? UsageReportPeriod.CURRENT_MONTH, clock.now(), zone);
    const selection = { organizationId, accounts, serviceType, ...days };
    const usages = metricUsages(await usedMonths(rows, selection), await this.#prices(days, zone), zone);
    const page = usages.slice(offset ?? 0, (offset ?? 0) + size);
    const [{ currency, ...cost }, otherCurrencies] = shownCosts(
      costsOf(usages, days, await recurring({ organizationId, accounts, serviceType })),
      query.currency,
    );
    return {
      ...{ period: period ?? UsageReportPeriod.CURRENT_MONTH, firstDay: days.firstDay, lastDay: days.lastDay, timezone: zone },
      totalUsage: totalUsageOf(usages),
      services: await this.#rows(page, detailed ? selection : null),
      servicesTotal: usages.length,
      ...{ currency, ...cost, otherCurrencies },
    };
  }

  /** Returns the usage of a service; null if the caller does not have the service. */
  async ofService(serviceId: string, asked: UsageReportPeriod | null | undefined): Promise<ServiceUsage | null> {
    const { request, rows, graph, clock } = this.deps;
    const period = asked ?? UsageReportPeriod.CURRENT_MONTH;
    const service = (await meteredServices(graph, request, [serviceId])).get(serviceId);
    if (!service) return null;
    const { zone, currency } = service;
    const days = reportDays(period, clock.now(), zone);
    const { organizationId, accounts } = request.principal;
    const selection = { organizationId, accounts, ...days, serviceIds: [serviceId] };
    const book = await this.#prices(days, zone);
    const usages = metricUsages(await usedMonths(rows, selection), book, zone);
    const month = monthPeriod(days.lastMonth, zone);
    const unused = METRICS.filter((metric) => !usages.some((usage) => usage.metric === metric)).flatMap((metric): MetricUsage[] => {
      const price = book.priceOf(service, metric, currency, month);
      return price ? [{ serviceId, metric, currency, quantity: new Decimal(0), months: [], price }] : [];
    });
    const usage = await this.#totals([...usages, ...unused], selection, days);
    const usageCost = roundTo(totalOf(usages), currency);
    return { serviceId, period, firstDay: days.firstDay, lastDay: days.lastDay, timezone: zone, currency, usage, usageCost };
  }

  /** Returns the usage of several services. Months begin at midnight UTC. */
  async ofServices(serviceIds: readonly string[], period: UsageReportPeriod): Promise<UsageTotal[][]> {
    const { request, rows, clock } = this.deps;
    const days = reportDays(period, clock.now(), 'UTC');
    const { organizationId, accounts } = request.principal;
    const selection = { organizationId, accounts, ...days, serviceIds };
    const usages = metricUsages(await usedMonths(rows, selection), await this.#prices(days, 'UTC'), 'UTC');
    const totals = await this.#totals(usages, selection, days);
    const ofService = Map.groupBy(
      totals.map((total, index) => ({ total, serviceId: usages[index]?.serviceId })),
      (one) => one.serviceId,
    );
    return serviceIds.map((id) => (ofService.get(id) ?? []).map(({ total }) => total));
  }

  async #totals(usages: readonly MetricUsage[], selection: UsageSelection, { lastMonth }: ReportDays): Promise<UsageTotal[]> {
    const days = await this.#days(selection);
    return usages.map((usage) => {
      const { serviceId, metric, quantity, currency, months, price } = usage;
      const included = price?.included ?? new Decimal(0);
      const used = months.find(({ month }) => month === lastMonth)?.quantity ?? new Decimal(0);
      return {
        ...{ metric, usage: quantity, unit: unitOf(metric), included, remaining: Decimal.max(included.minus(used), 0) },
        ...{ cost: roundTo(costOf(usage), currency), currency, days: days.get(keyOf({ serviceId, metric })) ?? [] },
      };
    });
  }

  async #rows(page: readonly MetricUsage[], detailed: UsageSelection | null): Promise<UsageReportRow[]> {
    const days = detailed && (await this.#days({ ...detailed, serviceIds: [...new Set(page.map(({ serviceId }) => serviceId))] }));
    return page.map((usage) => {
      const { serviceId, metric, quantity, currency } = usage;
      const row = { serviceId, metric, usage: quantity, unit: unitOf(metric), cost: roundTo(costOf(usage), currency), currency };
      return { ...row, days: days && (days.get(keyOf({ serviceId, metric })) ?? []) };
    });
  }

  async #days(selection: UsageSelection): Promise<Map<string, UsageDay[]>> {
    return Map.groupBy(await usedByDay(this.deps.rows, selection), keyOf);
  }

  #prices({ firstDay, lastMonth }: ReportDays, zone: string): Promise<UsagePriceBook> {
    const { em, request } = this.deps;
    const { start } = monthPeriod(firstDay.slice(0, 7), zone);
    return UsagePriceBook.read(em, request.principal.organizationId, { start, end: monthPeriod(lastMonth, zone).end });
  }

  /**
   * Returns the accounts of a report, and the time zone of its months. It is the time zone of the account for a report about one account,
   * otherwise UTC.
   */
  async #scope(accountId: string | null | undefined): Promise<{ accounts: Accounts; zone: string }> {
    const { request, graph } = this.deps;
    const { accounts } = request.principal;
    const only = accountId ?? (accounts?.length === 1 ? accounts[0] : undefined);
    if (!only) return { accounts, zone: 'UTC' };
    const { account } = await graph.query<{ account: { timezone: string } | null }>(ACCOUNT, { id: only }, request);
    return { accounts: [only], zone: orNotFound(account, 'account', only).timezone };
  }
}

const keyOf = ({ serviceId, metric }: { serviceId: string; metric: UsageMetric }): string => `${serviceId} ${metric}`;

/** Returns the costs in each currency. The sum of the exact amounts is rounded once. */
function costsOf(usages: readonly MetricUsage[], days: ReportDays, recurring: ReadonlyMap<string, Decimal>): CurrencyCost[] {
  const byCurrency = Map.groupBy(usages, ({ currency }) => currency);
  return [...new Set([...byCurrency.keys(), ...recurring.keys()])].map((currency) => {
    const own = byCurrency.get(currency) ?? [];
    const expected = totalOf(own, days.lastMonth).times(days.daysOfMonth).div(days.daysPassed);
    return {
      currency,
      usageCost: roundTo(totalOf(own), currency),
      estimatedMonthlyCost: roundTo(expected.plus(recurring.get(currency) ?? 0), currency),
    };
  });
}

/** Returns the costs in the wanted currency, and the costs in the other currencies. Default: the currency with the highest usage cost. */
function shownCosts(costs: readonly CurrencyCost[], wanted: string | null | undefined): [CurrencyCost, CurrencyCost[]] {
  const sorted = costs.toSorted((one, other) => other.usageCost.cmp(one.usageCost) || one.currency.localeCompare(other.currency));
  const currency = wanted ?? sorted[0]?.currency ?? DEFAULT_CURRENCY;
  const none = { currency, usageCost: new Decimal(0), estimatedMonthlyCost: new Decimal(0) };
  return [sorted.find((cost) => cost.currency === currency) ?? none, sorted.filter((cost) => cost.currency !== currency)];
}
