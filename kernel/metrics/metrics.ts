import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { Pressure } from '../work/pressure.ts';
import { MetricSamples } from './samples.ts';
import { workMetrics } from './work.ts';

const FAST_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];
const SLOW_SECONDS = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/**
 * Creates the metrics of a platform for `/metrics`. Labels have few values: never an id, a path with an id, or an
 * organization. Each platform has its own metrics, so that the values of two platforms in one process (in tests) are
 * not added up.
 */
export function createMetrics() {
  const registers = [new Registry()];
  const samples = new MetricSamples(registers);
  const pressure = new Pressure();
  requestsRunning(pressure, registers);
  let text: Promise<string> | undefined;
  return {
    /** Returns all metrics in the Prometheus text format. Concurrent calls share one result. */
    text() {
      text ??= samples
        .refresh()
        .then(() => exposition(registers))
        .finally(() => {
          text = undefined;
        });
      return text;
    },
    /** Gauges that are read from the database. */
    samples,
    /** The edge counts the running requests here, and jobs give way to them. */
    pressure,
    ...workMetrics(registers),
    httpDuration: new Histogram({
      name: 'http_request_duration_seconds',
      help: 'From the request line to the end of the response. `route` is the pattern, not the path.',
      labelNames: ['method', 'route', 'status'],
      buckets: FAST_SECONDS,
      registers,
    }),
    graphqlDuration: new Histogram({
      name: 'graphql_operation_duration_seconds',
      help: 'GraphQL operations by type (query, mutation, subscription) and outcome (ok, error).',
      labelNames: ['type', 'outcome'],
      buckets: FAST_SECONDS,
      registers,
    }),
    subgraphFetches: new Counter({
      name: 'subgraph_fetches_total',
      help: 'Calls from the router to a subgraph.',
      labelNames: ['subgraph', 'outcome'],
      registers,
    }),
    webhookDuration: new Histogram({
      name: 'webhook_delivery_duration_seconds',
      help: 'Attempts to deliver a webhook by outcome (delivered, failed, exhausted).',
      labelNames: ['outcome'],
      buckets: SLOW_SECONDS,
      registers,
    }),
    outboxLag: new Gauge({
      name: 'outbox_lag_seconds',
      help: 'Age of the oldest event of a domain that the relay has not moved to the log.',
      labelNames: ['domain'],
      registers,
    }),
    liveSubscriptions: new Gauge({ name: 'live_subscriptions', help: 'Open GraphQL subscriptions.', registers }),
    rateLimitRefusals: new Counter({
      name: 'rate_limit_refusals_total',
      help: 'Refused requests by the exceeded limit: hour, burst, concurrency or an operation category; suspension for suspended callers.',
      labelNames: ['window'],
      registers,
    }),
    rateLimitStoreUp: new Gauge({
      name: 'rate_limit_store_up',
      help: '1 while the rate limit counters are available; 0 while Redis is unreachable and each process counts by itself.',
      registers,
    }),
  };
}

let processMetrics: Registry | undefined;

/**
 * Returns the metrics of some registries in the Prometheus text format, with the metrics of the process: memory, event
 * loop and garbage collection. The metrics of the process are collected from the first call on.
 */
function exposition(registers: Registry[]): Promise<string> {
  if (!processMetrics) {
    processMetrics = new Registry();
    collectDefaultMetrics({ register: processMetrics });
  }
  return Registry.merge([processMetrics, ...registers]).metrics();
}

export type Metrics = ReturnType<typeof createMetrics>;

const requestsRunning = (pressure: Pressure, registers: Registry[]): Gauge =>
  new Gauge({
    name: 'http_requests_running',
    help: 'Requests whose handler is running in this process. Open event streams and sockets do not count.',
    registers,
    collect() {
      this.set(pressure.requests);
    },
  });
