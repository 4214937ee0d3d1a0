import { z } from 'zod';
import { defineEvent, timestamp } from '../../../kernel/events/events.ts';
import type { Service } from '../inventory/service.entity.ts';

export interface RecordedUsage {
  start: Date;
  end: Date;
  gigabytes: number;
}

/**
 * The usage of a service in one hour, from which the billing domain computes charges. There is one event for each service,
 * metric and hour; its field `source` combines these three. An hour without any measurement has no event: its traffic is
 * part of the hour of the next measurement.
 */
export const usageRecorded = defineEvent(
  {
    name: 'usage.recorded',
    family: 'billing',
    isInternal: true,
    description: 'The usage of a service in an hour was measured.',
    data: z.strictObject({
      service_id: z.string(),
      account_id: z.string(),
      metric: z.enum(['data_gb']).describe('What was used. `data_gb` is the transferred data in 10^9 bytes.'),
      quantity: z.number(),
      unit: z.enum(['GB']),
      from: timestamp,
      to: timestamp,
      source: z.string().describe('Identifies the usage: service, metric and start of the hour.'),
    }),
    example: {
      service_id: 'svc_01JQ8Z6V4T9M3N2B1C0D9E8F7G',
      account_id: 'acc_01JQ8Z6V4T9M3N2B1C0D9E8F7G',
      metric: 'data_gb',
      quantity: 61.75,
      unit: 'GB',
      from: '2026-01-31T14:00:00.000Z',
      to: '2026-01-31T15:00:00.000Z',
      source: 'svc_01JQ8Z6V4T9M3N2B1C0D9E8F7G/data_gb/2026-01-31T14:00:00.000Z',
    },
  },
  ({ id, organizationId, accountId }: Service, { start, end, gigabytes }: RecordedUsage, now: Date) => ({
    organizationId,
    occurredAt: now,
    subject: { type: 'Service', id },
    accountId,
    data: {
      service_id: id,
      account_id: accountId,
      metric: 'data_gb' as const,
      quantity: gigabytes,
      unit: 'GB' as const,
      from: start.toISOString(),
      to: end.toISOString(),
      source: `${id}/data_gb/${start.toISOString()}`,
    },
  }),
);
