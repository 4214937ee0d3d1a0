import { z } from 'zod';
import { type DomainEvent, defineEvent, timestamp } from '../../../kernel/events/events.ts';
import { SampleState } from '../samples/sample.ts';
import type { NewSamples } from '../samples/sample-store.ts';

const measured = z.number().nullable();

/**
 * One sample in an event, as a list of values. An object would be much larger because of its field names, and there is a sample for each
 * service and minute.
 */
const sample = z.tuple([
  z.string().describe('Id of the service.'),
  z.string().describe('Id of its account.'),
  z.string().describe('Id of the site. Empty for the service as a whole.'),
  timestamp.describe('Time of the measurement.'),
  z.union([z.literal(0), z.literal(1)]).describe('1 if the connection works, 0 otherwise.'),
  measured.describe('Latency in milliseconds.'),
  measured.describe('Jitter in milliseconds.'),
  measured.describe('Lost packets in percent.'),
  measured.describe('Utilization of the bandwidth in percent.'),
  z.int().describe('Open security incidents.'),
  measured.describe('Bytes transferred since the previous measurement. Null for a site.'),
]);

/** Maximum number of services in one event. Events must be small, because the platform reads them in batches. */
const SERVICES_MAX = 100;

/**
 * Event with the measurements of some services of an organization, which the monitoring domain stores as series. The transaction that
 * stores the measurements also records the event, so every measurement is reported exactly once.
 */
export const servicesMeasured = defineEvent(
  {
    name: 'services.measured',
    family: 'service',
    isInternal: true,
    description: 'Services were measured.',
    data: z.strictObject({ samples: z.array(sample) }),
    example: {
      samples: [
        [
          'svc_01JQ8Z6V4T9M3N2B1C0D9E8F7G',
          'acc_01JQ8Z6V4T9M3N2B1C0D9E8F7G',
          '',
          '2026-01-31T14:00:00.000Z',
          1,
          4.2,
          0.3,
          0.01,
          37.5,
          0,
          61750000,
        ],
      ],
    },
  },
  (organizationId: string, measurements: readonly NewSamples[], now: Date) => ({
    organizationId,
    occurredAt: now,
    subject: { type: 'Organization', id: organizationId },
    data: { samples: measurements.flatMap((one) => rowsOf(one)) },
  }),
);

/** Returns the events about stored measurements, with at most 100 services each. */
export function measuredEvents(stored: readonly NewSamples[], now: Date): DomainEvent[] {
  const events: DomainEvent[] = [];
  for (const [organizationId, own] of Map.groupBy(stored, (one) => one.organizationId))
    for (let at = 0; at < own.length; at += SERVICES_MAX)
      events.push(servicesMeasured(organizationId, own.slice(at, at + SERVICES_MAX), now));
  return events;
}

const rowsOf = ({ accountId, samples }: NewSamples): z.input<typeof sample>[] =>
  samples.map(({ serviceId, siteId, at, state, latencyMs, jitterMs, packetLoss, bandwidthUtilization, ...counts }) => [
    serviceId,
    accountId,
    siteId,
    at.toISOString(),
    state === SampleState.DOWN ? 0 : 1,
    finite(latencyMs),
    finite(jitterMs),
    finite(packetLoss),
    finite(bandwidthUtilization),
    counts.securityIncidents,
    finite(counts.transferredBytes),
  ]);

/** Returns the value if it is a finite number. Otherwise null, because providers can report any value. */
const finite = (value: number | null): number | null => (Number.isFinite(value) ? value : null);
