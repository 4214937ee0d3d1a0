import { PLANS } from '../../../kernel/access/plans.ts';
import { BoundedCache } from '../../../kernel/bounded-cache.ts';
import type { Clock } from '../../../kernel/clock.ts';
import type { RequestContext } from '../../../kernel/request.ts';
import { HOUR_MS } from '../../../kernel/values/days.ts';
import { secretProblem } from '../ingest/sample.rules.ts';
import { MetricType } from '../metrics/metric.states.ts';
import { isRefusal, type Refusal, refusal } from '../samples/refusals.ts';
import type { ServiceAccounts } from '../services/service-accounts.ts';
import { type NewSeries, type SeriesStore, seriesKey } from './series.store.ts';
import { type KnownSeries, labelsText, type NamedSeries } from './series.ts';

/** Maximum number of series in the memory cache, about 40 MB. */
const MAX_CACHED = 250_000;
/** Time after which a cached series is looked up again, so that it is marked as active. */
const FRESH_MS = HOUR_MS;

interface Cached extends KnownSeries {
  /** Time at which the series was looked up, in milliseconds since 1970. */
  seen: number;
}

export interface SeriesRegistryDeps {
  store: SeriesStore;
  services: ServiceAccounts;
  clock: Clock;
}

/** Finds the series of samples, and creates new series. Series are cached in memory, so most requests need no statement for them. */
export class SeriesRegistry {
  readonly #cache = new BoundedCache<string, Cached>(MAX_CACHED);

  constructor(private readonly deps: SeriesRegistryDeps) {}

  /** Returns the series for each metric, service and labels, or the reason why the caller must not write to the series. */
  async resolve(request: RequestContext, named: readonly NamedSeries[]): Promise<(KnownSeries | Refusal)[]> {
    const { organizationId } = request.principal;
    const now = this.deps.clock.now();
    const keys = named.map((one) => cacheKey(organizationId, one));
    const found = keys.map((key) => this.#fresh(key, now));
    const missing = new Map(named.flatMap((one, index) => (found[index] ? [] : [[keys[index] as string, one] as const])));
    const looked = missing.size > 0 ? await this.#look(request, missing, now) : undefined;
    return named.map((one, index) => {
      const series = found[index] ?? looked?.get(keys[index] as string) ?? refusal('too_many_series');
      return isRefusal(series) ? series : allowed(request, one, series);
    });
  }

  /**
   * Returns the ids of series that the platform measures, and creates missing series. They do not count towards the limit of the plan,
   * because their number depends on the services.
   */
  async measured(organizationId: string, series: readonly NewSeries[]): Promise<number[]> {
    const now = this.deps.clock.now();
    const keys = series.map((one) => cacheKey(organizationId, one));
    const fresh = keys.map((key) => this.#fresh(key, now));
    const missing = new Map(series.flatMap((one, index) => (fresh[index] ? [] : [[keys[index] as string, one] as const])));
    const { store } = this.deps;
    const found = missing.size > 0 ? await store.find(organizationId, [...missing.values()], now) : new Map<string, KnownSeries>();
    const unknown = [...missing.values()].filter((one) => !found.has(seriesKey(one)));
    const created = unknown.length > 0 ? await store.create(organizationId, unknown, { isMeasured: true }, now) : undefined;
    const looked = new Map<string, KnownSeries>();
    for (const [key, one] of missing) {
      const its = (found.get(seriesKey(one)) ?? created?.get(seriesKey(one))) as KnownSeries;
      looked.set(key, its);
      this.#cache.set(key, { ...its, seen: now.getTime() });
    }
    return keys.map((key, index) => (fresh[index] ?? (looked.get(key) as KnownSeries)).id);
  }

  #fresh(key: string, now: Date): KnownSeries | undefined {
    const series = this.#cache.get(key);
    return series && Math.abs(now.getTime() - series.seen) < FRESH_MS ? series : undefined;
  }

  /** Finds or creates the series that are not cached. The result does not contain new series beyond the limit of the plan. */
  async #look(request: RequestContext, missing: ReadonlyMap<string, NamedSeries>, now: Date): Promise<Map<string, KnownSeries | Refusal>> {
    const { organizationId, plan } = request.principal;
    const results = new Map<string, KnownSeries | Refusal>();
    const known = await this.deps.store.find(organizationId, [...missing.values()], now);
    const unknown = [...missing].filter(([, one]) => !known.has(seriesKey(one)));
    const accounts = await this.deps.services.find(
      request.principal,
      unknown.flatMap(([, { serviceId }]) => serviceId ?? []),
    );
    const fresh = unknown.flatMap(([key, one]): NewSeries[] => {
      const accountId = one.serviceId === null ? null : accounts.get(one.serviceId);
      const problem = accountId === undefined ? refusal('service_not_found') : (unowned(request, one) ?? secretProblem(one.labels));
      if (problem) results.set(key, problem);
      return problem || accountId === undefined ? [] : [{ ...one, accountId }];
    });
    const created =
      fresh.length > 0 ? await this.deps.store.create(organizationId, fresh, { limit: PLANS[plan].activeSeries }, now) : undefined;
    for (const [key, one] of missing) {
      const series = known.get(seriesKey(one)) ?? created?.get(seriesKey(one));
      if (!series) continue;
      results.set(key, series);
      this.#cache.set(key, { ...series, seen: now.getTime() });
    }
    return results;
  }
}

const cacheKey = (organizationId: string, { metric, serviceId, labels }: NamedSeries): string =>
  `${organizationId} ${metric} ${serviceId ?? ''} ${labelsText(labels)}`;

/** Returns a refusal for a series without a service if the caller is limited to accounts, because such callers cannot see the series. */
const unowned = ({ principal }: RequestContext, { serviceId }: NamedSeries): Refusal | undefined =>
  principal.accounts !== null && serviceId === null ? refusal('service_required') : undefined;

function allowed(request: RequestContext, one: NamedSeries, series: KnownSeries): KnownSeries | Refusal {
  const { accounts } = request.principal;
  const problem = unowned(request, one);
  if (problem) return problem;
  if (accounts !== null && series.accountId !== null && !accounts.includes(series.accountId)) return refusal('service_not_found');
  // a value alone is no sample of a histogram
  const isOther =
    (one.type ?? (series.type === MetricType.HISTOGRAM ? null : series.type)) !== series.type ||
    (one.isDelta !== null && one.isDelta !== series.isDelta);
  return isOther ? refusal('conflicting_type', `The metric has the type ${series.type}${series.isDelta ? ' (delta)' : ''}.`) : series;
}
