import { storableText } from '../../../kernel/values/text.ts';
import type { SentSample } from '../ingest/ingestion.ts';
import { isLabelName, labelProblem, MAX_LABELS, METRIC_NAME, TEXT_LENGTH } from '../ingest/sample.rules.ts';
import { MetricType } from '../metrics/metric.states.ts';
import { isRefusal, type Refusal, refusal } from '../samples/refusals.ts';
import type { Distribution } from '../samples/sample.ts';
import { GREATEST } from '../samples/sketch.ts';
import type { Labels } from '../series/series.ts';
import { attributesOf, millisOf, SERVICE_ATTRIBUTE, textOf } from './otlp-attributes.ts';
import { distributionOf, exponentialDistributionOf } from './otlp-distributions.ts';
import type { AnyValue, ExponentialPoint, HistogramPoint, MetricsRequest, NumberPoint, OtlpMetric } from './otlp-messages.ts';

/** A data point as it was sent: a sample, or the reason why it is none. */
export interface SentPoint {
  metric: string;
  sample: SentSample | Refusal;
}

const DESCRIPTION_LENGTH = 1_000;
/** Longest label that a resource adds. Longer attributes describe, and do not identify. */
const RESOURCE_LABEL_LENGTH = 256;
/** Attributes that identify a resource, and become labels before its other attributes. */
const IDENTIFYING = ['service.name', 'service.namespace', 'service.instance.id', 'deployment.environment.name', 'host.name'];
/** Attributes that change with each process, or are the same everywhere. As labels they would only use up series. */
const OMITTED = /^(process|telemetry|os)\./;
const SCOPE_LABEL = 'otel.scope.name';

/** Numbers of the temporality of sums and histograms. */
const DELTA = 1;
const CUMULATIVE = 2;
/** Flag of a data point without a value, which states that its series has ended. */
const NO_VALUE = 1;

type Label = readonly [name: string, value: string];

/** Returns the data points of a request. Those that state only that a series has ended are left out. */
export function pointsOf({ resourceMetrics = [] }: MetricsRequest): SentPoint[] {
  return resourceMetrics.flatMap(({ resource, scopeMetrics = [] }) => {
    const attributes = attributesOf(resource?.attributes);
    const labels = resourceLabels(attributes);
    const serviceId = serviceIn(attributes);
    return scopeMetrics.flatMap(({ scope, metrics = [] }) => {
      const added = scope?.name ? [...labels, [SCOPE_LABEL, storableText(scope.name).slice(0, RESOURCE_LABEL_LENGTH)] as const] : labels;
      return metrics.flatMap((metric) => pointsOfMetric(metric, added, serviceId));
    });
  });
}

function resourceLabels(attributes: ReadonlyMap<string, AnyValue>): Label[] {
  const names = [...attributes.keys()].filter((name) => isLabelName(name) && !OMITTED.test(name) && name !== SERVICE_ATTRIBUTE);
  const others = names.filter((name) => !IDENTIFYING.includes(name)).toSorted();
  return [...IDENTIFYING.filter((name) => names.includes(name)), ...others].flatMap((name): Label[] => {
    const value = textOf(attributes.get(name) ?? {});
    return value === '' || value.length > RESOURCE_LABEL_LENGTH ? [] : [[name, storableText(value)]];
  });
}

const serviceIn = (attributes: ReadonlyMap<string, AnyValue>): string | null => {
  const value = attributes.get(SERVICE_ATTRIBUTE);
  return value ? textOf(value) : null;
};

function pointsOfMetric(metric: OtlpMetric, added: readonly Label[], serviceId: string | null): SentPoint[] {
  const { name = '', gauge, sum, histogram, exponentialHistogram, summary } = metric;
  const shown = name.slice(0, TEXT_LENGTH);
  const points: readonly AnyPoint[] = (gauge ?? sum ?? histogram ?? exponentialHistogram ?? summary)?.dataPoints ?? [];
  const kind = METRIC_NAME.test(name)
    ? kindOf(metric)
    : refusal('invalid_metric', 'the name must have 1 to 200 letters, digits, _, ., :, / or -, and begin with a letter or _');
  return points.flatMap((point): SentPoint[] => {
    if (((point.flags ?? 0) & NO_VALUE) !== 0) return [];
    return [{ metric: shown, sample: isRefusal(kind) ? kind : sampleOf(metric, kind, point, added, serviceId) }];
  });
}

interface Kind {
  type: MetricType;
  isDelta: boolean;
}

type Measured = Pick<SentSample, 'value' | 'distribution'>;
/** A data point of any kind of metric. */
type AnyPoint = NumberPoint & HistogramPoint & ExponentialPoint;

/** Returns how the values of a metric are stored, or why they cannot be stored. */
function kindOf({ gauge, sum, histogram, exponentialHistogram }: OtlpMetric): Kind | Refusal {
  if (gauge) return { type: MetricType.GAUGE, isDelta: false };
  const totals = sum ?? histogram ?? exponentialHistogram;
  if (!totals) return refusal('invalid_sample', 'summaries cannot be stored; send a histogram');
  const { aggregationTemporality: temporality } = totals;
  if (temporality !== DELTA && temporality !== CUMULATIVE) return refusal('invalid_sample', 'aggregation_temporality must be set');
  const isDelta = temporality === DELTA;
  if (!sum) return { type: MetricType.HISTOGRAM, isDelta };
  if (sum.isMonotonic) return { type: MetricType.COUNTER, isDelta };
  if (isDelta) return refusal('invalid_sample', 'a sum that can fall must be cumulative');
  return { type: MetricType.GAUGE, isDelta };
}

function sampleOf(
  { name: metric = '', description, unit, histogram }: OtlpMetric,
  { type, isDelta }: Kind,
  point: AnyPoint,
  added: readonly Label[],
  ofResource: string | null,
): SentSample | Refusal {
  const attributes = attributesOf(point.attributes);
  const serviceId = serviceIn(attributes) ?? ofResource;
  const labels = labelsOf(attributes, added);
  const problem = labelProblem(labels);
  if (problem) return problem;
  const at = millisOf(point.timeUnixNano);
  if (at === undefined) return refusal('invalid_time', 'time_unix_nano must be set');
  const measured =
    type === MetricType.HISTOGRAM ? summarized(histogram ? distributionOf(point) : exponentialDistributionOf(point)) : numberOf(point);
  if (isRefusal(measured)) return measured;
  const described = { unit: cut(unit, TEXT_LENGTH), description: cut(description, DESCRIPTION_LENGTH) };
  return { series: { metric, serviceId, labels, type, isDelta, ...described }, at, ...measured };
}

function numberOf({ asDouble, asInt }: NumberPoint): Measured | Refusal {
  const value = asDouble ?? (asInt === undefined ? Number.NaN : Number(asInt));
  return Math.abs(value) <= GREATEST ? { value } : refusal('invalid_value', `the value must be a number within ±${GREATEST}`);
}

function summarized(distribution: Distribution | Refusal): Measured | Refusal {
  if (isRefusal(distribution)) return distribution;
  const { count, sum } = distribution;
  return { value: count > 0 ? sum / count : 0, distribution };
}

/** Returns the attributes of a point, and as many labels of its resource as a series may have besides. */
function labelsOf(attributes: ReadonlyMap<string, AnyValue>, added: readonly Label[]): Labels {
  const own = [...attributes].filter(([name]) => name !== SERVICE_ATTRIBUTE).map(([name, value]): Label => [name, textOf(value)]);
  const others = added.filter(([name]) => !attributes.has(name)).slice(0, Math.max(0, MAX_LABELS - own.length));
  return Object.fromEntries([...own, ...others]);
}

const cut = (text: string | undefined, length: number): string | null => (text ? storableText(text.slice(0, length)) : null);
