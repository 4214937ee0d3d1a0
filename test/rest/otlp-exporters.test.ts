import { OTLPLogExporter as JsonLogExporter } from '@opentelemetry/exporter-logs-otlp-http';
import { OTLPLogExporter } from '@opentelemetry/exporter-logs-otlp-proto';
import { AggregationTemporalityPreference, OTLPMetricExporter as JsonMetricExporter } from '@opentelemetry/exporter-metrics-otlp-http';
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-proto';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { BatchLogRecordProcessor, LoggerProvider } from '@opentelemetry/sdk-logs';
import { AggregationType, MeterProvider, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TestClock } from '../../kernel/clock.ts';
import { billedTenant } from '../billing.setup.ts';
import { chart, total } from '../metrics.setup.ts';
import { entriesOf, samplesOf } from '../otlp.setup.ts';
import { onRig, type Rig, start } from '../rig.ts';

// a separate platform, because other tests move the shared clock, and the exporters use the system time
let platform: Rig;
beforeAll(async () => {
  platform = await start({}, new TestClock());
});
afterAll(() => platform?.close());

describe('the exporters of OpenTelemetry', () => {
  test.each([
    ['protobuf', OTLPMetricExporter],
    ['JSON', JsonMetricExporter],
  ])('metrics arrive with their type, unit, labels and service as %s, compressed with gzip', (_, Exporter) =>
    onRig(platform, async () => {
      const { tenant, serviceId } = await billedTenant();
      const exporter = new Exporter({
        url: `${tenant.origin}/otlp/v1/metrics`,
        headers: tenant.credentials as Record<string, string>,
        compression: 'gzip' as never,
        temporalityPreference: AggregationTemporalityPreference.CUMULATIVE,
      });
      const provider = new MeterProvider({
        resource: resourceFromAttributes({ 'service.name': 'checkout', 'platform.service_id': serviceId, 'process.pid': 42 }),
        readers: [new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 3_600_000 })],
      });
      const meter = provider.getMeter('shop');
      meter.createGauge('queue.length', { unit: '{job}' }).record(17, { queue: 'mail' });
      meter.createCounter('http.requests', { description: 'Requests.' }).add(3, { status: 200 });
      meter.createUpDownCounter('connections').add(-2);
      await provider.forceFlush();
      await provider.shutdown();
      const common = { 'service.name': 'checkout', 'otel.scope.name': 'shop' };
      const all = { is_delta: false, service_id: serviceId };
      // the last export at the shutdown repeats the values
      const found = new Map((await samplesOf(tenant)).map((sample) => [sample.name, sample]));
      expect([...found.values()]).toEqual([
        { ...all, name: 'connections', type: 'gauge', unit: null, labels: common, value: -2 },
        { ...all, name: 'http.requests', type: 'counter', unit: null, labels: { ...common, status: '200' }, value: 3 },
        { ...all, name: 'queue.length', type: 'gauge', unit: '{job}', labels: { ...common, queue: 'mail' }, value: 17 },
      ]);
      const { body } = await tenant.rest('GET', `/monitoring/metrics/queue.length?period=1h&aggregation=max&service_id=${serviceId}`);
      expect(Math.max(...body.data.series[0].values)).toBe(17);
      const { body: list } = await tenant.rest('GET', '/monitoring/metrics?search=http.requests');
      expect(list.data).toMatchObject([{ description: 'Requests.', type: 'counter' }]);
    }),
  );

  test('counters with delta temporality are stored as what was added', () =>
    onRig(platform, async () => {
      const tenant = await platform.organization();
      const exporter = new OTLPMetricExporter({
        url: `${tenant.origin}/otlp/v1/metrics`,
        headers: tenant.credentials as Record<string, string>,
        temporalityPreference: AggregationTemporalityPreference.DELTA,
      });
      const provider = new MeterProvider({ readers: [new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 3_600_000 })] });
      const counter = provider.getMeter('shop').createCounter('sold');
      for (const amount of [5, 7]) {
        counter.add(amount);
        await provider.forceFlush();
      }
      await provider.shutdown();
      expect((await samplesOf(tenant)).map(({ is_delta, type, value }) => [is_delta, type, value])).toEqual([
        [true, 'counter', 5],
        [true, 'counter', 7],
      ]);
    }));

  test.each([
    ['protobuf', OTLPLogExporter],
    ['JSON', JsonLogExporter],
  ])('log records arrive with their level, attributes, trace and service as %s', (_, Exporter) =>
    onRig(platform, async () => {
      const { tenant, serviceId } = await billedTenant();
      const exporter = new Exporter({ url: `${tenant.origin}/otlp/v1/logs`, headers: tenant.credentials as Record<string, string> });
      const provider = new LoggerProvider({
        resource: resourceFromAttributes({ 'service.name': 'checkout', 'platform.service_id': serviceId }),
        processors: [new BatchLogRecordProcessor({ exporter } as never)],
      });
      const logger = provider.getLogger('shop');
      logger.emit({
        severityNumber: 18,
        body: 'Payment refused',
        attributes: { 'http.status': 402, tries: [1, 2], nested: { deep: true }, password: 'hunter2' },
      });
      logger.emit({ severityText: 'WARN', body: { text: 'structured', ok: false } });
      await provider.forceFlush();
      await provider.shutdown();
      const entries = await entriesOf(tenant, 'service.name:checkout');
      expect(entries.map(({ level, message, service_id }) => [level, message, service_id]).toSorted()).toEqual([
        ['error', 'Payment refused', serviceId],
        ['warn', '{"text":"structured","ok":false}', serviceId],
      ]);
      const [refused] = await entriesOf(tenant, 'http.status:402 nested.deep:true');
      expect(refused?.attributes).toMatchObject({ tries: [1, 2], password: '[redacted]', 'otel.scope.name': 'shop' });
    }),
  );

  test.each([
    ['explicit', AggregationTemporalityPreference.DELTA, AggregationType.EXPLICIT_BUCKET_HISTOGRAM],
    ['exponential', AggregationTemporalityPreference.DELTA, AggregationType.EXPONENTIAL_HISTOGRAM],
    ['cumulative exponential', AggregationTemporalityPreference.CUMULATIVE, AggregationType.EXPONENTIAL_HISTOGRAM],
  ] as const)(
    '%s histograms of the exporter have the number, average, limits and percentiles of the measured values',
    (_, temporalityPreference, type) =>
      onRig(platform, async () => {
        const tenant = await platform.organization();
        const exporter = new OTLPMetricExporter({
          url: `${tenant.origin}/otlp/v1/metrics`,
          headers: tenant.credentials as Record<string, string>,
          temporalityPreference,
        });
        const provider = new MeterProvider({
          readers: [new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 3_600_000 })],
          views: [
            {
              instrumentName: 'took',
              aggregation:
                type === AggregationType.EXPLICIT_BUCKET_HISTOGRAM
                  ? { type, options: { boundaries: Array.from({ length: 100 }, (_, n) => (n + 1) * 10) } }
                  : { type },
            },
          ],
        });
        const histogram = provider.getMeter('shop').createHistogram('took', { unit: 'ms' });
        // a cumulative histogram counts from its first sample
        const isCumulative = temporalityPreference === AggregationTemporalityPreference.CUMULATIVE;
        if (isCumulative) {
          histogram.record(1);
          await provider.forceFlush();
        }
        for (let value = 1; value <= 1000; value += 1) histogram.record(value);
        await provider.forceFlush();
        await provider.shutdown();
        expect(await total(tenant, 'took', 'count')).toBe(1000);
        expect(await total(tenant, 'took', 'avg')).toBeCloseTo(500.5);
        expect(await total(tenant, 'took', 'max')).toBeCloseTo(1000, isCumulative ? -2 : 5);
        expect(await total(tenant, 'took', 'min')).toBeCloseTo(1, isCumulative ? -1 : 5);
        for (const [percentile, value] of [
          ['p50', 500],
          ['p90', 900],
          ['p99', 990],
        ] as const) {
          const found = (await total(tenant, 'took', percentile)) as number;
          expect(Math.abs(found - value) / value, `${percentile} ${found}`).toBeLessThan(
            type === AggregationType.EXPONENTIAL_HISTOGRAM ? 0.035 : 0.02,
          );
        }
        expect(await chart(tenant, 'took')).toMatchObject({ type: 'histogram', unit: 'ms', aggregation: 'avg' });
      }),
  );
});
