import { createHash } from 'node:crypto';
import type { MetricType } from '../metrics/metric.states.ts';

/** Labels of a series, by name. */
export type Labels = Readonly<Record<string, string>>;

/** A series as described by a sample: metric, service and labels. */
export interface NamedSeries {
  metric: string;
  serviceId: string | null;
  labels: Labels;
  /** Type of the metric, if the sample states one. A new metric without a type is a gauge. */
  type: MetricType | null;
  /** True if each sample of a counter or histogram is the increase since the previous sample. Null if the sample does not state it. */
  isDelta: boolean | null;
  unit: string | null;
  description: string | null;
}

/** A stored series. */
export interface KnownSeries {
  id: number;
  type: MetricType;
  isDelta: boolean;
  /** Account of the service. Null for a series without a service. */
  accountId: string | null;
}

/** Returns the labels as a text. Equal labels result in equal texts. */
export function labelsText(labels: Labels): string {
  const names = Object.keys(labels);
  if (names.length < 2) return JSON.stringify(labels);
  return JSON.stringify(Object.fromEntries(names.toSorted().map((name) => [name, labels[name]])));
}

/** Returns the hash of service and labels, which identifies a series of a metric. */
export const digestOf = (serviceId: string | null, labels: string): Buffer =>
  createHash('sha256')
    .update(JSON.stringify([serviceId, labels]))
    .digest()
    .subarray(0, 16);
