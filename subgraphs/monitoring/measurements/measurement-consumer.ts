import { z } from 'zod';
import type { Clock } from '../../../kernel/clock.ts';
import type { LogConsumer, LoggedEvent } from '../../../kernel/events/events.ts';
import type { Logger } from '../../../kernel/log/log.ts';
import { DAY_MS, HOUR_MS } from '../../../kernel/values/days.ts';
import type { KeptDays } from '../samples/sample.retention.ts';
import type { SampleStore } from '../samples/sample.store.ts';
import { GREATEST } from '../samples/sketch.ts';
import type { NewSeries } from '../series/series.store.ts';
import type { Labels } from '../series/series.ts';
import type { SeriesRegistry } from '../series/series-registry.ts';
import { SERVICE_METRICS, SITE_METRICS } from './measured-metrics.ts';

/** Approximate maximum number of samples that one transaction stores. */
const BATCH = 5_000;
/**
 * Difference between the age at which samples are deleted and the maximum age of stored measurements. Samples are deleted in partitions of
 * six hours, and older samples could be deleted while they are rolled up.
 */
const MARGIN_MS = 12 * HOUR_MS;

const value = z.number().nullable();

/** The fields of the event `services.measured` that this domain uses: service, account, site, time, and values. */
const servicesMeasured = z.object({
  data: z.object({ samples: z.array(z.tuple([z.string(), z.string(), z.string(), z.string()], value)) }),
});

export interface MeasurementConsumerDeps {
  store: Pick<SampleStore, 'write'>;
  series: Pick<SeriesRegistry, 'measured'>;
  clock: Clock;
  log: Logger;
  kept: KeptDays;
}

/** A measured value of a service or site. */
interface MeasuredSample {
  series: NewSeries;
  at: number;
  value: number;
}

/**
 * Returns the consumer that stores the measurements of services as samples. The log keeps the events until they are stored, so no
 * measurement is lost while the monitoring database is down. A series has at most one value for each point in time, so a repeated event
 * adds nothing. The sample limits of the organization do not apply, because the platform sends these samples.
 */
export function measurementConsumer({ store, series, clock, log, kept }: MeasurementConsumerDeps): LogConsumer {
  const maxAgeMs = Math.max(HOUR_MS, kept.samples * DAY_MS - MARGIN_MS);

  async function save(organizationId: string, samples: readonly MeasuredSample[]): Promise<void> {
    const known = await series.measured(
      organizationId,
      samples.map((one) => one.series),
    );
    await store.write(samples.map(({ at, value }, index) => ({ seriesId: known[index] as number, at, value })));
  }

  return {
    name: 'monitoring.measurements',
    on: ['services.measured'],
    async consume(events) {
      const first = clock.now().getTime() - maxAgeMs;
      for (const [organizationId, own] of Map.groupBy(events, (event) => event.organizationId)) {
        let batch: MeasuredSample[] = [];
        for (const event of own) {
          const samples = samplesOf(event);
          const recent = samples.filter(({ at }) => at >= first);
          if (recent.length < samples.length)
            log.warn({ event: event.id, samples: samples.length - recent.length }, 'measurements are too old to be stored');
          batch = batch.concat(recent);
          if (batch.length < BATCH) continue;
          await save(organizationId, batch);
          batch = [];
        }
        if (batch.length > 0) await save(organizationId, batch);
      }
    },
  };
}

function samplesOf({ payload }: LoggedEvent): MeasuredSample[] {
  const { samples } = servicesMeasured.parse(JSON.parse(payload)).data;
  return samples.flatMap(([serviceId, accountId, site, at, ...values]) =>
    (site ? SITE_METRICS : SERVICE_METRICS).flatMap(({ name: metric, ...described }, index) => {
      const measured = values[index] ?? null;
      if (measured === null || Math.abs(measured) > GREATEST) return [];
      const labels: Labels = site ? { site } : {};
      return [{ series: { ...described, metric, serviceId, accountId, labels }, at: Date.parse(at), value: measured }];
    }),
  );
}
