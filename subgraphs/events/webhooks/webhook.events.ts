import { z } from 'zod';
import { defineEvent, timestamp } from '../../../kernel/events/events.ts';
import { monthNameOf } from '../../../kernel/values/days.ts';
import type { Webhook } from './webhook.entity.ts';

const webhookPayload = z.strictObject({
  id: z.string(),
  url: z.string(),
  events: z.array(z.string()),
  active: z.boolean(),
  disabled_at: timestamp.nullable(),
  disabled_reason: z.string().nullable(),
  /** Time of the first failed attempt after the last successful attempt. */
  failing_since: timestamp.nullable(),
});
const data = z.strictObject({ webhook: webhookPayload });
const usagePayload = z.strictObject({ month: z.string(), limit: z.int(), exceeded_at: timestamp });

const example = {
  webhook: {
    id: 'wh_01JQ8Z6V4T9M3N2B1C0D9E8F7G',
    url: 'https://example.com/hooks',
    events: ['ticket.*'],
    active: true,
    disabled_at: null,
    disabled_reason: null,
    failing_since: null,
  },
};
const disabledExample = {
  webhook: {
    ...example.webhook,
    active: false,
    disabled_at: '2026-01-31T09:30:00.000Z',
    disabled_reason: 'failing',
    failing_since: '2026-01-26T09:29:00.000Z',
  },
};

const family = 'webhook';
export const TEST_EVENT = 'webhook.test';
export const QUOTA_EVENT = 'webhook.quota_exceeded';

export const webhookTest = defineEvent(
  {
    name: TEST_EVENT,
    family,
    description: 'A test of one webhook. It is sent even if the webhook does not subscribe to this event.',
    data,
    example,
  },
  tell,
);

export const webhookDisabled = defineEvent(
  {
    name: 'webhook.disabled',
    family,
    description: 'The platform disabled a webhook. `disabled_reason` contains the reason.',
    data,
    example: disabledExample,
  },
  tell,
);

export const webhookQuotaExceeded = defineEvent(
  {
    name: QUOTA_EVENT,
    family,
    description:
      'The monthly limit of webhook deliveries is reached. Further deliveries are recorded as `skipped`. You can replay them in the next month or after a change of the plan. Sent once a month. Deliveries of this event do not count against the limit.',
    data: z.strictObject({ webhook_usage: usagePayload }),
    example: { webhook_usage: { month: '2026-01', limit: 1000, exceeded_at: '2026-01-31T09:30:00.000Z' } },
  },
  (organizationId: string, limit: number, occurredAt: Date) => ({
    organizationId,
    occurredAt,
    subject: { type: 'Organization', id: organizationId },
    data: { webhook_usage: { month: monthNameOf(occurredAt), limit, exceeded_at: occurredAt.toISOString() } },
  }),
);

export const webhookEvents = [webhookTest.type, webhookDisabled.type, webhookQuotaExceeded.type];

function tell(webhook: Webhook, occurredAt: Date) {
  const { id, organizationId, url, events, active, disabledAt, disabledReason, failingSince } = webhook;
  const payload: z.infer<typeof webhookPayload> = {
    id,
    url,
    events,
    active,
    disabled_at: disabledAt?.toISOString() ?? null,
    disabled_reason: disabledReason,
    failing_since: failingSince?.toISOString() ?? null,
  };
  return { organizationId, occurredAt, subject: { type: 'Webhook', id }, data: { webhook: payload } };
}
