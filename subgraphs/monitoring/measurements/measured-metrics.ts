import { MetricType } from '../metrics/metric.states.ts';

/** A metric that the platform measures for every service. */
export interface MeasuredMetric {
  name: string;
  type: MetricType;
  unit: string | null;
  description: string;
  /** True if each sample is the increase since the previous sample. False if each sample is an absolute value. */
  isDelta: boolean;
}

const gauge = (name: string, unit: string | null, description: string): MeasuredMetric => ({
  ...{ name, unit, description },
  type: MetricType.GAUGE,
  isDelta: false,
});

const GAUGES = [
  gauge('up', null, '1 if the connection works, and 0 if it does not.'),
  gauge('latency_ms', 'ms', 'Latency of the connection in milliseconds.'),
  gauge('jitter_ms', 'ms', 'Jitter of the connection in milliseconds.'),
  gauge('packet_loss', '%', 'Lost packets in percent.'),
  gauge('bandwidth_utilization', '%', 'Utilization of the ordered bandwidth in percent.'),
  gauge('security_incidents', null, 'Number of open security incidents.'),
] as const;

/** Metrics of a service as a whole, in the order of the values in the event `services.measured`. */
export const SERVICE_METRICS: readonly MeasuredMetric[] = [
  ...GAUGES,
  {
    name: 'transferred_bytes',
    type: MetricType.COUNTER,
    unit: 'By',
    description: 'Transferred bytes. Each sample is the number of bytes since the previous sample.',
    isDelta: true,
  },
];

/**
 * Metrics of each site of a network. Their names differ from the metrics of the service, so that a chart of the service does not count a
 * site twice.
 */
export const SITE_METRICS: readonly MeasuredMetric[] = GAUGES.map((metric) => ({
  ...metric,
  name: `site_${metric.name}`,
  description: `${metric.description} Of one site of a network, with the label \`site\`.`,
}));

const NAMES: ReadonlySet<string> = new Set([...SERVICE_METRICS, ...SITE_METRICS].map(({ name }) => name));

/** Returns true if only the platform may write samples of a metric. */
export const isReserved = (metric: string): boolean => NAMES.has(metric);
