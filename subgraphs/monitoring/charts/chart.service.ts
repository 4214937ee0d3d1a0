import DataLoader from 'dataloader';
import type { RecordScope } from '../../../kernel/access/principal.ts';
import type { Clock } from '../../../kernel/clock.ts';
import type { Rows } from '../../../kernel/database/database.ts';
import { InvalidParameters, refuse } from '../../../kernel/errors/errors.ts';
import { MetricType } from '../metrics/metric.states.ts';
import type { KeptDays } from '../samples/sample.retention.ts';
import type { Labels } from '../series/series.ts';
import { type ChartQuery, type MetricChartQuery, SERIES_DEFAULT } from './chart.inputs.ts';
import { Aggregation, Fill } from './chart.states.ts';
import { ChartStore, type Completeness, type KnownMetric, type MatchingSeries } from './chart.store.ts';
import type { MetricChart, MetricSeries } from './chart.types.ts';
import { type Steps, stepsOf } from './steps.ts';

/** Maximum number of series that one chart aggregates. */
const MAX_SERIES = 10_000;
const SERVICE = 'service_id';

export interface ChartServiceDeps {
  rows: Rows;
  clock: Clock;
  kept: KeptDays;
  scope: RecordScope;
}

/** Creates charts: reads metrics and aggregates their samples in time steps. */
export class ChartService {
  readonly #store: ChartStore;
  readonly #ofServices = new Map<string, DataLoader<string, MetricChart[]>>();

  constructor(private readonly deps: ChartServiceDeps) {
    this.#store = new ChartStore(deps.rows, deps.scope);
  }

  /**
   * Returns the charts of metrics of a service. The same charts of several services are read together.
   * @throws InvalidParameters
   */
  async read({ name, serviceId, limit, ...query }: MetricChartQuery): Promise<MetricChart | null> {
    const steps = this.#stepsOf(query);
    const [metric] = await this.#store.metrics([name]);
    if (!metric) return null;
    requireAggregation(metric, query.aggregation);
    const series = await this.#store.series([metric.id], serviceId ? [serviceId] : null, labelsOf(query), MAX_SERIES + 1);
    if (series.length > MAX_SERIES)
      throw new InvalidParameters([{ field: 'labels', reason: `must be given: the metric has more than ${MAX_SERIES} series` }]);
    return this.#chart(metric, series, { ...query, limit }, steps, await this.#store.completeness());
  }

  /**
   * Returns the chart of a metric. Null if the caller may not see a metric with this name.
   * @throws InvalidParameters
   */
  ofService(serviceId: string, names: readonly string[], query: ChartQuery): Promise<MetricChart[]> {
    const key = JSON.stringify([names, query]);
    const loader = this.#ofServices.get(key) ?? new DataLoader((ids: readonly string[]) => this.#readServices(ids, names, query));
    this.#ofServices.set(key, loader);
    return loader.load(serviceId);
  }

  async #readServices(serviceIds: readonly string[], names: readonly string[], query: ChartQuery): Promise<MetricChart[][]> {
    const steps = this.#stepsOf(query);
    const metrics = await this.#store.metrics(names);
    const ids = metrics.map(({ id }) => id);
    const series = await this.#store.series(ids, serviceIds, labelsOf(query), MAX_SERIES);
    const until = await this.#store.completeness();
    const charts = serviceIds.map(() => [] as MetricChart[]);
    for (const metric of metrics.toSorted((one, other) => names.indexOf(one.name) - names.indexOf(other.name))) {
      requireAggregation(metric, query.aggregation);
      const its = series.filter(({ metric_id: id }) => id === metric.id);
      // one statement for the series of all services, which are kept apart and then given to their services
      const whole = { ...query, groupBy: [SERVICE, ...(query.groupBy ?? [])], limit: MAX_SERIES };
      const chart = await this.#chart(metric, its, whole, steps, until);
      for (const [index, serviceId] of serviceIds.entries()) {
        const own = chart.series.filter((one) => one.serviceId === serviceId);
        if (own.length > 0) charts[index]?.push({ ...chart, series: own.slice(0, SERIES_DEFAULT), seriesTotal: own.length });
      }
    }
    return charts;
  }

  #stepsOf(query: ChartQuery): Steps {
    return stepsOf(query, this.deps.kept, this.deps.clock.now());
  }

  async #chart(
    metric: KnownMetric,
    series: readonly MatchingSeries[],
    query: ChartQuery & { limit: number },
    steps: Steps,
    until: Completeness,
  ): Promise<MetricChart> {
    const aggregation = query.aggregation ?? (metric.type === MetricType.COUNTER ? Aggregation.RATE : Aggregation.AVG);
    const groups = [...Map.groupBy(series, (one) => JSON.stringify(groupOf(one, query.groupBy ?? [])))];
    const shown = groups.slice(0, query.limit);
    const values = shown.map(() => new Array<number | null>(steps.times.length).fill(null));
    if (shown.length > 0) {
      const found = await this.#store.values(
        shown.map(([, its]) => its.map(({ id }) => id)),
        steps,
        aggregation,
        until,
      );
      for (const { group, step, value } of found) (values[group] as (number | null)[])[step] = scaled(value, step, aggregation, steps);
    }
    for (const list of values) fill(list, query.fill ?? Fill.NONE);
    const { completeUntil, from } = { completeUntil: until.minutesUntil, from: steps.times[0] ?? steps.end };
    const described = { name: metric.name, type: metric.type, unit: metric.unit, aggregation, resolution: steps.resolution };
    return {
      ...described,
      ...{ from, to: steps.end, stepSeconds: steps.lengthMs / 1000, completeUntil, seriesTotal: groups.length, times: steps.times },
      series: shown.map(([key], index) => ({ ...(JSON.parse(key) as Omit<MetricSeries, 'values'>), values: values[index] ?? [] })),
    };
  }
}

function labelsOf({ labels }: ChartQuery): Labels {
  return Object.fromEntries((labels ?? []).map((text) => [text.slice(0, text.indexOf('=')), text.slice(text.indexOf('=') + 1)]));
}

/** Returns the service and the labels that all series of a group have in common. */
function groupOf({ service_id: serviceId, labels }: MatchingSeries, groupBy: readonly string[]): Omit<MetricSeries, 'values'> {
  const names = groupBy.filter((name) => name !== SERVICE && labels[name] !== undefined).toSorted();
  return {
    serviceId: groupBy.includes(SERVICE) ? serviceId : null,
    labels: Object.fromEntries(names.map((name) => [name, labels[name] ?? ''])),
  };
}

/**
 * Checks that the type of the metric supports the aggregation.
 * @throws InvalidParameters if it does not
 */
function requireAggregation({ type }: KnownMetric, aggregation: Aggregation | null | undefined): void {
  if (!aggregation) return;
  const isOfCounter = aggregation === Aggregation.RATE || aggregation === Aggregation.INCREASE;
  const isPercentile = /^p\d/.test(aggregation);
  const isCounter = type === MetricType.COUNTER;
  const reason = isCounter ? 'is not possible for a counter' : 'is only possible for a counter';
  refuse(
    isCounter
      ? isPercentile
        ? [{ field: 'aggregation', value: aggregation, reason }]
        : []
      : isOfCounter
        ? [{ field: 'aggregation', value: aggregation, reason }]
        : [],
  );
}

/** Converts the increase of a step to a rate per second if a rate is requested. Other values do not change. */
function scaled(value: number, step: number, aggregation: Aggregation, { times, lengthMs }: Steps): number {
  if (aggregation !== Aggregation.RATE) return value;
  const [start, end] = [times[step], times[step + 1]];
  return value / (((start && end ? end.getTime() - start.getTime() : lengthMs) as number) / 1000);
}

function fill(values: (number | null)[], how: Fill): void {
  if (how === Fill.NONE) return;
  let before: number | null = how === Fill.ZERO ? 0 : null;
  for (const [index, value] of values.entries()) {
    if (value === null) values[index] = before;
    else if (how === Fill.PREVIOUS) before = value;
  }
}
