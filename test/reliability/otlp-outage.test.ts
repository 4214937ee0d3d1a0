import { OTLPLogExporter } from '@opentelemetry/exporter-logs-otlp-http';
import { AggregationTemporalityPreference } from '@opentelemetry/exporter-metrics-otlp-http';
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-proto';
import { BatchLogRecordProcessor, LoggerProvider } from '@opentelemetry/sdk-logs';
import { MeterProvider, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics';
import pg from 'pg';
import { describe, expect, onTestFinished, test } from 'vitest';
import { TestClock } from '../../kernel/clock.ts';
import { logsRequest, metricsRequest, type OtlpResponse, sendOtlp } from '../otlp.setup.ts';
import { eventually, type Rig, start } from '../rig.ts';
import { DatabaseProxy } from '../support/database-proxy.ts';
import { ownDatabase } from '../support/own-database.ts';
import type { Json, Tenant } from '../tenant.ts';

interface World {
  platform: Rig;
  tenant: Tenant;
  proxy: DatabaseProxy;
  /** The database of monitoring, without the proxy. */
  monitoring: pg.Client;
}

/** A platform whose monitoring domain has its own database, behind a proxy. */
async function world(): Promise<World> {
  const url = (await ownDatabase()) ?? '';
  const proxy = await DatabaseProxy.start(url);
  const monitoring = new pg.Client({ connectionString: url });
  await monitoring.connect();
  onTestFinished(() => monitoring.end());
  // the exporters use the system time
  const platform = await start({ DATABASE_URL: await ownDatabase(), MONITORING_DATABASE_URL: proxy.url }, new TestClock());
  onTestFinished(() => platform.close());
  return { platform, proxy, monitoring, tenant: await platform.organization({ plan: 'custom' }) };
}

const nanos = (): string => `${Date.now()}000000`;
const oneOf = (signal: string): Json =>
  signal === 'metrics'
    ? metricsRequest([{ name: 'load', gauge: { dataPoints: [{ timeUnixNano: nanos(), asDouble: 1 }] } }])
    : logsRequest([{ timeUnixNano: nanos(), body: { stringValue: 'Link lost' } }]);
const shown = ({ status, headers, error }: OtlpResponse): unknown[] => [status, headers.get('retry-after'), error?.code];

/** Sends a counter and a log record by exporters of OpenTelemetry. Resolves when both exporters have ended their retries. */
function exportAll(tenant: Tenant, timeoutMillis = 60_000): Promise<unknown> {
  const common = { headers: tenant.credentials, timeoutMillis };
  const metrics = new OTLPMetricExporter({
    ...{ ...common, url: `${tenant.origin}/otlp/v1/metrics` },
    temporalityPreference: AggregationTemporalityPreference.DELTA,
  });
  const reader = new PeriodicExportingMetricReader({
    exporter: metrics,
    exportIntervalMillis: 3_600_000,
    exportTimeoutMillis: timeoutMillis,
  });
  const meters = new MeterProvider({ readers: [reader] });
  const counter = meters.getMeter('shop').createCounter('sold');
  for (const [amount, article] of [
    [5, 'pen'],
    [7, 'ink'],
  ] as const)
    counter.add(amount, { article });
  const exporter = new OTLPLogExporter({ ...common, url: `${tenant.origin}/otlp/v1/logs` });
  const loggers = new LoggerProvider({
    processors: [new BatchLogRecordProcessor({ exporter, exportTimeoutMillis: timeoutMillis } as never)],
  });
  for (const body of ['Link lost', 'Link lost', 'Link found']) loggers.getLogger('shop').emit({ body });
  return Promise.all([meters.forceFlush(), loggers.forceFlush()]);
}

/** Returns the values of the counter, and the texts of the log records, as the database has them. */
async function stored({ monitoring, tenant: { organizationId } }: World): Promise<{ values: number[]; messages: string[] }> {
  const { rows: samples } = await monitoring.query<{ value: number }>(
    `select s."value" from "monitoring"."sample" s join "monitoring"."series" n on n."id" = s."series_id"
     where n."organization_id" = $1 and not n."is_measured" order by s."value"`,
    [organizationId],
  );
  const { rows: entries } = await monitoring.query<{ message: string }>(
    `select "message" from "monitoring"."log_entry" where "organization_id" = $1 and "source" = 'ingest' order by "message"`,
    [organizationId],
  );
  return { values: samples.map(({ value }) => value), messages: entries.map(({ message }) => message) };
}
/** Time after which exporters give up an export by default. */
const GIVEN_UP_MS = 10_000;
const ALL = { values: [5, 7], messages: ['Link found', 'Link lost', 'Link lost'] };

/** Number of requests that were refused because of the database. */
const refusals = ({ logged }: Rig): number => logged.filter((line) => line.includes('request failed') && line.includes('/otlp/v1/')).length;

describe.runIf(process.env.TEST_DATABASE_URL)('OTLP while the database of monitoring is unavailable', () => {
  test('requests get 503 with Retry-After and the status UNAVAILABLE, and other domains work', async () => {
    const { tenant, proxy } = await world();
    for (const signal of ['metrics', 'logs']) expect((await sendOtlp(tenant, signal, oneOf(signal))).status).toBe(200);
    proxy.disconnect();
    for (const signal of ['metrics', 'logs']) expect(shown(await sendOtlp(tenant, signal, oneOf(signal)))).toEqual([503, '5', 14]);
    expect((await tenant.rest('POST', '/support/tickets', { body: { title: 'No data', description: 'Since noon' } })).status).toBe(201);
    proxy.reconnect();
    await eventually(async () => (await sendOtlp(tenant, 'metrics', oneOf('metrics'))).status === 200);
  });

  test('exporters of OpenTelemetry that send meanwhile repeat their requests, and each point and log record is stored once', async () => {
    const all = await world();
    all.proxy.disconnect();
    const exported = exportAll(all.tenant);
    await eventually(() => refusals(all.platform) >= 2);
    all.proxy.reconnect();
    await exported;
    expect(await stored(all)).toEqual(ALL);
  });

  test('if the database does not respond, requests get 503 with Retry-After before exporters give up', async () => {
    const { tenant, proxy } = await world();
    for (const signal of ['metrics', 'logs']) expect((await sendOtlp(tenant, signal, oneOf(signal))).status).toBe(200);
    proxy.freeze();
    onTestFinished(() => proxy.thaw());
    for (const signal of ['metrics', 'logs']) {
      const began = performance.now();
      const [status, retryAfter, code] = shown(await sendOtlp(tenant, signal, oneOf(signal)));
      expect(performance.now() - began, signal).toBeLessThan(GIVEN_UP_MS);
      expect([status, code]).toEqual([503, 14]);
      expect(Number(retryAfter)).toBeGreaterThan(0);
    }
    proxy.thaw();
    await eventually(async () => (await sendOtlp(tenant, 'metrics', oneOf('metrics'))).status === 200);
  });

  test('exporters repeat requests to which the database has not responded, and each point and log record is stored once', async () => {
    const all = await world();
    all.proxy.freeze();
    const exported = exportAll(all.tenant);
    await eventually(() => refusals(all.platform) >= 2);
    // what has been sent to the database is stored now, and sent again
    all.proxy.thaw();
    await exported;
    expect(await stored(all)).toEqual(ALL);
  });
});
