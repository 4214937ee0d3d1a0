import type { Alert } from '../alerts/alert.entity.ts';
import { AlertCondition } from '../alerts/alert.states.ts';
import { Aggregation } from '../charts/chart.states.ts';
import { MetricType } from '../metrics/metric.states.ts';
import { type InstanceKey, instanceDigest } from './alert-instances.ts';
import { fullMinute, type RangeValue, type WantedRange } from './alert-readings.store.ts';
import { SAMPLE_WINDOW_SECONDS, type Watched, type WatchedSeries } from './alert-series.store.ts';
import { COMPARING, type Reading } from './alert-verdict.ts';

const SERVICE = 'service_id';
/** Maximum number of instances that an alert evaluates. */
const MAX_INSTANCES = 200;

/** A group of series that forms one instance of an alert. Each instance is evaluated separately. */
export interface PlannedInstance {
  key: InstanceKey;
  digest: string;
  series: WatchedSeries[];
}

/** The instances of an alert, and the ranges of values to read for their evaluation. */
export interface AlertPlan {
  alert: Alert;
  instances: PlannedInstance[];
  isLong: boolean;
  /** Ranges to read, ordered by instance: all ranges of the first instance, followed by all ranges of the second instance, and so on. */
  ranges: WantedRange[];
  problem: string | null;
}

/** Plans the evaluation of an alert for the point in time `at`. */
export function planOf(alert: Alert, watched: Watched, at: Date): AlertPlan {
  const all = instancesOf(alert, watched.series);
  const instances = all.slice(0, MAX_INSTANCES);
  // what the samples of a histogram mean is known only to the rollups
  const isLong = alert.windowSeconds > SAMPLE_WINDOW_SECONDS || watched.type === MetricType.HISTOGRAM;
  const end = isLong ? fullMinute(at) : at;
  const ranges = instances.flatMap(({ series }) => rangesOf(alert, watched.type, series, end));
  return { alert, instances, isLong, ranges, problem: problemOf(alert, watched, all.length) };
}

/** Returns the values of each instance of a plan, taken from the values of the plan's ranges. */
export function readingsOf({ alert, instances }: AlertPlan, values: readonly RangeValue[]): Reading[] {
  const each = COMPARING.has(alert.condition) ? 2 : 1;
  return instances.map((_, index) => {
    const [now, before] = values.slice(index * each, (index + 1) * each);
    return { samples: now?.samples ?? 0, value: now?.value ?? null, before: before?.value ?? null };
  });
}

function rangesOf(alert: Alert, type: MetricType | null, series: readonly WatchedSeries[], end: Date): WantedRange[] {
  const isCounter = type === MetricType.COUNTER;
  const aggregation = alert.aggregation ?? (isCounter ? Aggregation.RATE : Aggregation.AVG);
  const earlier = (windows: number): Date => new Date(end.getTime() - windows * alert.windowSeconds * 1000);
  const range = (start: Date, until: Date): WantedRange => ({ series, isCounter, aggregation, start, end: until });
  const now = range(earlier(1), end);
  return COMPARING.has(alert.condition) ? [now, range(earlier(2), earlier(1))] : [now];
}

/** Groups the series of an alert into instances. Without `groupBy`, all series form one group, which exists even if there are no series. */
function instancesOf({ groupBy }: Alert, series: readonly WatchedSeries[]): PlannedInstance[] {
  if (groupBy.length === 0) return [planned({ serviceId: null, labels: {} }, [...series])];
  const keys = Map.groupBy(series, ({ serviceId, labels }) => {
    const names = groupBy.filter((name) => name !== SERVICE && labels[name] !== undefined).toSorted();
    return JSON.stringify({
      serviceId: groupBy.includes(SERVICE) ? serviceId : null,
      labels: Object.fromEntries(names.map((name) => [name, labels[name]])),
    });
  });
  return [...keys].map(([key, its]) => planned(JSON.parse(key) as InstanceKey, its));
}

const planned = (key: InstanceKey, series: WatchedSeries[]): PlannedInstance => ({ key, digest: instanceDigest(key), series });

/** Returns the reason why an alert cannot be evaluated, or why only a part of its series is evaluated. Null if there is no problem. */
function problemOf({ aggregation, condition, metric }: Alert, { type, series, limit, isCut }: Watched, instances: number): string | null {
  if (type === null) return `There is no metric ${metric} yet.`;
  if (series.length === 0) return 'No series of the metric that the alert selects has had a sample in the last day.';
  if (isCut) return `The alert selects more than ${limit} series. Only the first ${limit} are evaluated.`;
  if (instances > MAX_INSTANCES)
    return `The alert has more than ${MAX_INSTANCES} instances. Only the first ${MAX_INSTANCES} are evaluated.`;
  if (aggregation === null || condition === AlertCondition.ABSENT) return null;
  const isCounter = type === MetricType.COUNTER;
  if (isCounter && /^p\d/.test(aggregation)) return `The metric is a counter, which has no ${aggregation}.`;
  const isOfCounter = aggregation === Aggregation.RATE || aggregation === Aggregation.INCREASE;
  return isOfCounter && !isCounter ? `The metric is not a counter, so it has no ${aggregation}.` : null;
}
