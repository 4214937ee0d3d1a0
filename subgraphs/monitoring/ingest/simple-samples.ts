import { InvalidParameters } from '../../../kernel/errors/errors.ts';
import { DateTime } from '../../../kernel/graphql/scalars.ts';
import { isStorable } from '../../../kernel/values/text.ts';
import { MetricType } from '../metrics/metric.states.ts';
import { type Refusal, refusal } from '../samples/refusals.ts';
import { GREATEST } from '../samples/sketch.ts';
import type { Labels } from '../series/series.ts';
import type { SentSample } from './ingestion.ts';
import { labelProblem, MAX_SAMPLES, METRIC_NAME, TEXT_LENGTH } from './sample.rules.ts';

const NO_LABELS: Labels = {};
const FIELDS = new Set(['metric', 'service_id', 'labels', 'at', 'value', 'type', 'unit']);
const TYPES: ReadonlySet<unknown> = new Set([MetricType.GAUGE, MetricType.COUNTER]);

/**
 * Parses a request body such as `{"samples": [{"metric": "cpu", "value": 0.5}]}`. A sample that breaks a rule becomes a refusal.
 * @throws InvalidParameters if the body has no list of 1 to 5,000 samples
 */
export function readSamples(body: unknown, now: Date): (SentSample | Refusal)[] {
  const { samples, ...others } = Object(body) as { samples?: unknown };
  const unknown = Object.keys(others).map((field) => ({ field, reason: 'is not a field of this operation' }));
  const listed = Array.isArray(samples) && samples.length > 0 && samples.length <= MAX_SAMPLES;
  const [first, ...rest] = [...(listed ? [] : [{ field: 'samples', reason: `must have 1 to ${MAX_SAMPLES} items` }]), ...unknown];
  if (first) throw new InvalidParameters([first, ...rest]);
  return (samples as unknown[]).map((sample) => readSample(sample, now.getTime()));
}

function readSample(sent: unknown, now: number): SentSample | Refusal {
  if (typeof sent !== 'object' || sent === null || Array.isArray(sent)) return refusal('invalid_sample', 'must be an object');
  for (const field in sent) if (!FIELDS.has(field)) return refusal('invalid_sample', `${field.slice(0, 64)} is not a field of a sample`);
  const { metric, service_id: serviceId = null, labels = NO_LABELS, at, value, type = null, unit = null } = sent as Record<string, unknown>;
  if (typeof metric !== 'string' || !METRIC_NAME.test(metric))
    return refusal('invalid_metric', 'metric must have 1 to 200 letters, digits, _, ., :, / or -, and begin with a letter or _');
  if (typeof value !== 'number' || !(Math.abs(value) <= GREATEST))
    return refusal('invalid_value', `value must be a number within ±${GREATEST}`);
  if (!isText(serviceId)) return refusal('invalid_sample', 'service_id must be the id of a service');
  if (!isText(unit)) return refusal('invalid_sample', `unit must be a text of 1 to ${TEXT_LENGTH} characters`);
  if (type !== null && !TYPES.has(type)) return refusal('invalid_sample', 'type must be gauge or counter');
  if (typeof labels !== 'object' || labels === null || Array.isArray(labels)) return refusal('invalid_labels', 'labels must be an object');
  const problem = labelProblem(labels as Labels);
  if (problem) return problem;
  const time = at === undefined || at === null ? now : timeOf(at);
  if (time === undefined) return refusal('invalid_time', 'at must be a timestamp such as 2026-01-31T09:30:00Z');
  const series = { metric, serviceId, labels: labels as Labels, type: type as MetricType | null, isDelta: null, unit, description: null };
  return { series, at: time, value };
}

const isText = (value: unknown): value is string | null =>
  value === null || (typeof value === 'string' && value.length > 0 && value.length <= TEXT_LENGTH && isStorable(value));

function timeOf(at: unknown): number | undefined {
  try {
    return DateTime.parseValue(at).getTime();
  } catch {
    return undefined;
  }
}
