import { parse } from 'graphql';
import { analyticsId } from '../../../kernel/analytics/analytics-scope.ts';
import { analyzedPeriods } from '../../../kernel/analytics/analyzed-periods.ts';
import type { Clock } from '../../../kernel/clock.ts';
import type { Rows } from '../../../kernel/database/database.ts';
import { InvalidParameters, ResourceNotFound, refuse } from '../../../kernel/errors/errors.ts';
import type { Graph } from '../../../kernel/graph.ts';
import type { RequestContext } from '../../../kernel/request.ts';
import { type DateRange, parseDateRange } from '../../../kernel/values/date-range.ts';
import type { ServiceAccounts } from '../services/service-accounts.ts';
import type { ServiceList } from '../services/service-list.ts';
import type { AnalyticsQuery } from './analytics.inputs.ts';

const ACCOUNT = parse('query AnalyzedAccount($id: ID!) { account(id: $id) { id } }');
/** Earliest day of an analysis. PostgreSQL and all time zones support it. */
const FIRST_DAY = '1970-01-02';

export interface AnalyticsServiceDeps {
  rows: Rows;
  request: RequestContext;
  clock: Clock;
  graph: Graph;
  services: ServiceAccounts;
  list: ServiceList;
  isSandbox: boolean;
}

/** Starts an analysis: checks its period, account and services (specification 4.6). Each domain adds its figures to the result. */
export class AnalyticsService {
  constructor(private readonly deps: AnalyticsServiceDeps) {}

  /** Returns the id of an analysis. @throws InvalidParameters, ResourceNotFound, TooManyServices */
  async begin({ dateRange, timezone, accountId, serviceIds, type }: AnalyticsQuery): Promise<string> {
    const { rows, clock, list, isSandbox } = this.deps;
    if (type && serviceIds) throw new InvalidParameters([{ field: 'type', value: type, reason: 'cannot be combined with serviceIds' }]);
    const now = clock.now();
    const asked = checked(parseDateRange(dateRange) as DateRange, dateRange);
    const periods = await analyzedPeriods(rows, asked, timezone, now);
    // in a sandbox, billing can have figures of this time, because organizations advance their clocks there
    if (periods.period.start >= now && !isSandbox)
      throw new InvalidParameters([{ field: 'dateRange', value: dateRange, reason: 'must not begin in the future' }]);
    await this.#requireAccount(accountId ?? null);
    await this.#requireServices(serviceIds ?? null, accountId ?? null);
    return analyticsId({
      asked,
      ...periods,
      timezone,
      accountId: accountId ?? null,
      serviceIds: type ? await list.ids({ accountId, type }) : serviceIds ? [...new Set(serviceIds)].toSorted() : null,
      type: type ?? null,
    });
  }

  async #requireAccount(accountId: string | null): Promise<void> {
    if (accountId === null) return;
    const { graph, request } = this.deps;
    // the graph returns only accounts that the caller sees
    const { account } = await graph.query<{ account: { id: string } | null }>(ACCOUNT, { id: accountId }, request);
    if (!account) throw new ResourceNotFound('account', accountId);
  }

  async #requireServices(serviceIds: readonly string[] | null, accountId: string | null): Promise<void> {
    if (serviceIds === null) return;
    const { services, request } = this.deps;
    const accounts = await services.find(request.principal, serviceIds);
    const missing = serviceIds.find((id) => !accounts.has(id));
    if (missing !== undefined) throw new ResourceNotFound('service', missing);
    const problems = serviceIds
      .filter((id) => accountId !== null && accounts.get(id) !== accountId)
      .map((value) => ({ field: 'serviceIds', value, reason: 'must be services of the account' }));
    refuse(problems);
  }
}

/** @throws InvalidParameters for days that are too long ago */
function checked(range: DateRange, value: string): DateRange {
  if ('from' in range && range.from < FIRST_DAY)
    throw new InvalidParameters([{ field: 'dateRange', value, reason: `must not begin before ${FIRST_DAY}` }]);
  return range;
}
