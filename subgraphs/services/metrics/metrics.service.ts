import type { Clock } from '../../../kernel/clock.ts';
import { type FieldProblem, refuse } from '../../../kernel/errors/errors.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../kernel/values/days.ts';
import type { Service } from '../inventory/service.entity.ts';
import { specOf } from '../products/service-spec.ts';
import { MeasuredPeriod, PERIOD_MS } from '../samples/period.ts';
import { METRICS } from '../samples/sample.ts';
import type { SampleAverage, SampleStore, TimeRange } from '../samples/sample-store.ts';
import type { StatusService } from '../status/status.service.ts';
import type { ServiceMetricsQuery } from './metrics.inputs.ts';
import type { MetricPoint, ServiceMetrics } from './metrics.types.ts';

const MAX_POINTS = 400;
const MAX_RANGE_MS = 31 * DAY_MS;
/** Possible lengths of an interval in a chart. The shortest length that results in at most `MAX_POINTS` points is used. */
const INTERVALS_MS = [MINUTE_MS, 5 * MINUTE_MS, 15 * MINUTE_MS, 30 * MINUTE_MS, HOUR_MS, 2 * HOUR_MS, 6 * HOUR_MS, DAY_MS];

export interface MetricsServiceDeps {
  clock: Clock;
  samples: SampleStore;
  statuses: StatusService;
}

/** Reads the measurements of a service in a period. */
export class MetricsService {
  constructor(private readonly deps: MetricsServiceDeps) {}

  /**
   * Returns the measurements of a service in a period.
   * @throws InvalidParameters
   */
  async read(service: Service, query: Omit<ServiceMetricsQuery, 'id'>): Promise<ServiceMetrics> {
    const { samples, statuses } = this.deps;
    const now = this.deps.clock.now();
    refuse([...rangeProblems(query, now), ...siteProblems(service, query.siteId)]);
    const { period, ...range } = rangeOf(query, now);
    const intervalMs = intervalOf(range);
    const series = { serviceId: service.id, siteId: query.siteId ?? '' };
    const [record, summary, averages] = await Promise.all([
      statuses.recordOf(service),
      samples.figures(series, range),
      samples.averages(series, range, intervalMs),
    ]);
    return {
      ...record,
      period,
      from: range.start,
      to: range.end,
      siteId: query.siteId ?? null,
      intervalSeconds: intervalMs / 1000,
      summary: { ...summary, ...mapped(METRICS, (metric) => mapped(FIGURES, (figure) => rounded(summary[metric][figure]))) },
      series: pointsOf(averages, range, intervalMs),
    };
  }
}

const FIGURES = ['min', 'avg', 'max', 'p95'] as const;
/** Number of digits after the decimal point to which measurements are rounded. */
const DIGITS = 4;

const rounded = (value: number | null): number | null => (value === null ? null : Number(value.toFixed(DIGITS)));

const mapped = <K extends string, V>(keys: readonly K[], value: (key: K) => V): Record<K, V> =>
  Object.fromEntries(keys.map((key) => [key, value(key)])) as Record<K, V>;

type RangeQuery = Pick<ServiceMetricsQuery, 'period' | 'from' | 'to'>;

function rangeProblems({ period, from, to }: RangeQuery, now: Date): FieldProblem[] {
  const problem = (field: string, value: unknown, reason: string): FieldProblem[] => [{ field, value, reason }];
  if (from && period) return problem('period', period, 'cannot be combined with from');
  if (!from) return to ? problem('from', null, 'is required with to') : [];
  const end = to ?? now;
  if (from >= now) return problem('from', from.toISOString(), 'must be in the past');
  if (from >= end) return problem('to', end.toISOString(), 'must be after from');
  return end.getTime() - from.getTime() > MAX_RANGE_MS ? problem('to', end.toISOString(), 'must be at most 31 days after from') : [];
}

function siteProblems(service: Service, siteId: string | null | undefined): FieldProblem[] {
  if (!siteId) return [];
  const sites = specOf(service).places.flatMap(({ id }) => id ?? []);
  if (sites.includes(siteId)) return [];
  const reason = sites.length > 0 ? 'is not a site of the service' : 'must be omitted: the service has no sites';
  return [{ field: 'siteId', value: siteId, reason }];
}

function rangeOf({ period, from, to }: RangeQuery, now: Date): TimeRange & { period: MeasuredPeriod | null } {
  if (from) return { period: null, start: from, end: to && to < now ? to : now };
  const named = period ?? MeasuredPeriod.LAST_24_HOURS;
  return { period: named, start: new Date(now.getTime() - PERIOD_MS[named]), end: now };
}

const intervalOf = ({ start, end }: TimeRange): number =>
  INTERVALS_MS.find((ms) => Math.floor(end.getTime() / ms) - Math.floor(start.getTime() / ms) < MAX_POINTS) ?? DAY_MS;

/** Returns one point for each interval of the range, including intervals without samples. */
function pointsOf(averages: readonly SampleAverage[], { start, end }: TimeRange, intervalMs: number): MetricPoint[] {
  const known = new Map(averages.map((average) => [average.start.getTime(), average]));
  const points: MetricPoint[] = [];
  for (let at = Math.floor(start.getTime() / intervalMs) * intervalMs; at < end.getTime(); at += intervalMs) {
    const average = known.get(at);
    points.push({
      timestamp: new Date(at),
      state: average?.state ?? null,
      ...mapped(METRICS, (metric) => rounded(average?.[metric] ?? null)),
      transferredBytes: average?.transferredBytes ?? null,
    });
  }
  return points;
}
