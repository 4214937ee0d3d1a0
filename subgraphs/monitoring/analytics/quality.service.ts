import type { RecordScope } from '../../../kernel/access/principal.ts';
import { type AnalyticsRange, analyzedAccounts } from '../../../kernel/analytics/analytics-scope.ts';
import type { Clock } from '../../../kernel/clock.ts';
import type { Rows } from '../../../kernel/database/database.ts';
import { describeTrend, type Trend, TrendStep } from '../../../kernel/statistics/trend.types.ts';
import { DAY_MS, datesBetween, MINUTE_MS } from '../../../kernel/values/days.ts';
import { dayStarts } from '../../../kernel/values/local-time.ts';
import { Aggregation, Resolution } from '../charts/chart.states.ts';
import { ChartStore, type Completeness } from '../charts/chart.store.ts';
import type { Steps } from '../charts/steps.ts';
import { LISTED_SERVICES_MAX, TooManyServices } from '../services/service-list.ts';
import type { QualityAnalytics, QualityFigures, ServiceQuality } from './analytics.types.ts';

const LATENCY = 'latency_ms';
const JITTER = 'jitter_ms';
const LOSS = 'packet_loss';
const LISTED = 50;
const QUARTER_MS = 15 * MINUTE_MS;
const DIGITS = 1e4;

/** The series of each metric. */
type SeriesOf = ReadonlyMap<string, readonly { id: number; serviceId: string }[]>;

export interface QualityServiceDeps {
  rows: Rows;
  clock: Clock;
  scope: RecordScope;
}

/** Adds what was measured to an analysis (specification 4.6), from the same rollups as the charts of metrics. */
export class QualityService {
  constructor(private readonly deps: QualityServiceDeps) {}

  async read(range: AnalyticsRange): Promise<QualityAnalytics> {
    const store = this.#store(range);
    const [series, until] = [await this.#series(store, range), await store.completeness()];
    const now = this.#whole(range.period);
    const [figures, before, services] = await Promise.all([
      figuresOf(store, series, now, until),
      figuresOf(store, series, this.#whole(range.before), until),
      servicesOf(store, series, now, until),
    ]);
    return { ...figures, before, services, completeUntil: until.minutesUntil };
  }

  /** Returns the average latency on each day. */
  async trend(range: AnalyticsRange): Promise<Trend> {
    const { period, before, lastWholeDay, timezone } = range;
    const store = this.#store(range);
    const [series, until] = [await this.#series(store, range), await store.completeness()];
    const daily = async (first: string, last: string) => {
      const days = datesBetween(first, last);
      const values = new Array<number | null>(days.length).fill(null);
      const ids = (series.get(LATENCY) ?? []).map(({ id }) => id);
      if (days.length > 0 && ids.length > 0) {
        const starts = dayStarts(days, timezone);
        const steps = { resolution: Resolution.QUARTER_HOUR, lengthMs: DAY_MS, times: starts.slice(0, -1), end: starts.at(-1) as Date };
        for (const { step, value } of await store.values([ids], steps, Aggregation.AVG, until)) values[step] = value;
      }
      return days.map((date, index) => ({ date, value: values[index] ?? null }));
    };
    const [values, earlier] = await Promise.all([daily(period.firstDay, lastWholeDay), daily(before.firstDay, before.lastDay)]);
    return describeTrend({ name: LATENCY, unit: 'ms', step: TrendStep.DAY, values, before: earlier, bounds: { low: 0 } });
  }

  #store(range: AnalyticsRange): ChartStore {
    const { rows, scope } = this.deps;
    return new ChartStore(rows, { organizationId: scope.organizationId, accounts: analyzedAccounts(range, scope) });
  }

  /** @throws TooManyServices */
  async #series(store: ChartStore, { serviceIds }: AnalyticsRange): Promise<SeriesOf> {
    const metrics = await store.metrics([LATENCY, JITTER, LOSS]);
    const names = new Map(metrics.map(({ id, name }) => [id, name]));
    const limit = LISTED_SERVICES_MAX * names.size;
    const found = await store.series([...names.keys()], serviceIds, {}, limit + 1);
    if (found.length > limit) throw new TooManyServices();
    const ofServices = found.flatMap(({ id, metric_id: metric, service_id: serviceId }) =>
      serviceId === null ? [] : [{ id, name: names.get(metric) ?? '', serviceId }],
    );
    return Map.groupBy(ofServices, ({ name }) => name);
  }

  /** Returns the period as one step. A quarter of an hour cannot be divided, so the last one counts as a whole. */
  #whole({ start, end }: { start: Date; end: Date }): Steps {
    const full = Math.ceil(end.getTime() / QUARTER_MS) * QUARTER_MS;
    const last = new Date(Math.min(full, Math.max(this.deps.clock.now().getTime(), end.getTime())));
    return { resolution: Resolution.QUARTER_HOUR, times: [start], end: last, lengthMs: last.getTime() - start.getTime() };
  }
}

async function figuresOf(store: ChartStore, series: SeriesOf, steps: Steps, until: Completeness): Promise<QualityFigures> {
  const read = async (name: string, aggregation: Aggregation): Promise<number | null> => {
    const ids = (series.get(name) ?? []).map(({ id }) => id);
    const [found] = ids.length > 0 ? await store.values([ids], steps, aggregation, until) : [];
    return found ? rounded(found.value) : null;
  };
  return {
    latencyAverageMs: await read(LATENCY, Aggregation.AVG),
    latencyP50Ms: await read(LATENCY, Aggregation.P50),
    latencyP95Ms: await read(LATENCY, Aggregation.P95),
    latencyP99Ms: await read(LATENCY, Aggregation.P99),
    jitterAverageMs: await read(JITTER, Aggregation.AVG),
    packetLossAverage: await read(LOSS, Aggregation.AVG),
  };
}

async function servicesOf(store: ChartStore, series: SeriesOf, steps: Steps, until: Completeness): Promise<ServiceQuality[]> {
  const read = async (name: string, aggregation: Aggregation, only?: ReadonlySet<string>): Promise<Map<string, number>> => {
    const all = series.get(name) ?? [];
    const groups = [...Map.groupBy(only ? all.filter(({ serviceId }) => only.has(serviceId)) : all, ({ serviceId }) => serviceId)];
    if (groups.length === 0) return new Map();
    const ids = groups.map(([, its]) => its.map(({ id }) => id));
    const found = await store.values(ids, steps, aggregation, until);
    return new Map(found.map(({ group, value }) => [groups[group]?.[0] ?? '', rounded(value)]));
  };
  const latency = await read(LATENCY, Aggregation.P95);
  const listed = [...latency].toSorted(([id, one], [otherId, other]) => other - one || (id < otherId ? -1 : 1)).slice(0, LISTED);
  const ids = new Set(listed.map(([id]) => id));
  const [jitter, loss] = [await read(JITTER, Aggregation.AVG, ids), await read(LOSS, Aggregation.AVG, ids)];
  return listed.map(([serviceId, latencyP95Ms]) => ({
    ...{ serviceId, latencyP95Ms, jitterAverageMs: jitter.get(serviceId) ?? null, packetLossAverage: loss.get(serviceId) ?? null },
  }));
}

const rounded = (value: number): number => Math.round(value * DIGITS) / DIGITS;
