import { z } from 'zod';
import { defineEvent, type EventDraft, timestamp } from '../../../kernel/events/events.ts';

const thresholdUsage = z.strictObject({
  budget_id: z.string().nullable().optional().describe('Budget whose costs are measured. Null if the limit is not a budget.'),
  account_id: z.string().nullable().describe('Account whose usage is measured. Null if all accounts of the organization are measured.'),
  service_id: z.string().nullable().describe('Service whose usage is measured. Null if the usage of the whole account is measured.'),
  metric: z.enum(['voice_minutes', 'data_gb', 'cloud_storage_gb', 'api_calls', 'cost']),
  period_start: timestamp,
  period_end: timestamp,
  quantity: z.number().describe('Usage in the period so far.'),
  limit: z.number(),
  threshold_percentage: z.number().describe('Percentage of the limit that was reached.'),
  currency: z.string().nullable().describe('Currency of `quantity` and `limit` if `metric` is `cost`, otherwise null.'),
});
/** Usage or cost that has reached a threshold, in the form of the event. */
export type ThresholdUsage = z.input<typeof thresholdUsage>;

export const usageThreshold = defineEvent(
  {
    name: 'usage.threshold',
    family: 'billing',
    description: 'The usage or cost of a period reached a configured percentage of its limit. Sent once for each percentage and period.',
    data: z.strictObject({
      usage: thresholdUsage,
    }),
    example: {
      usage: {
        budget_id: null,
        account_id: 'acc_01JQ8Z6V4T9M3N2B1C0D9E8F7G',
        service_id: null,
        metric: 'data_gb',
        period_start: '2026-01-01T00:00:00.000Z',
        period_end: '2026-02-01T00:00:00.000Z',
        quantity: 812.4,
        limit: 1000,
        threshold_percentage: 80,
        currency: null,
      },
    },
  },
  ({ at, ...about }: Pick<EventDraft, 'organizationId' | 'subject' | 'accountId'> & { at: Date }, usage: ThresholdUsage) => ({
    ...about,
    occurredAt: at,
    data: { usage },
  }),
);
