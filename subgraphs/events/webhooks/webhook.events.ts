import { z } from 'zod';
import { defineEvent, timestamp } from '../../../kernel/events.ts';
import type { Webhook } from './webhook.entity.ts';

const webhookPayload = z.strictObject({
  id: z.string(),
  url: z.string(),
  events: z.array(z.string()),
  active: z.boolean(),
  disabled_at: timestamp.nullable(),
  disabled_reason: z.string().nullable(),
});
const data = z.strictObject({ webhook: webhookPayload });

const example = {
  webhook: {
    id: 'wh_01JQ8Z6V4T9M3N2B1C0D9E8F7G',
    url: 'https://example.com/hooks',
    events: ['ticket.*'],
    active: true,
    disabled_at: null,
    disabled_reason: null,
  },
};
const disabledExample = {
  webhook: { ...example.webhook, active: false, disabled_at: '2026-01-31T09:30:00.000Z', disabled_reason: 'gone' },
};

const family = 'webhook';
export const TEST_EVENT = 'webhook.test';

export const webhookTest = defineEvent(
  {
    name: TEST_EVENT,
    family,
    description: 'Sent to one webhook by its test operation, whatever it subscribes to.',
    data,
    example,
  },
  tell,
);

export const webhookDisabled = defineEvent(
  {
    name: 'webhook.disabled',
    family,
    description: 'The platform stopped delivering to a webhook; `disabled_reason` says why.',
    data,
    example: disabledExample,
  },
  tell,
);

export const webhookEvents = [webhookTest.type, webhookDisabled.type];

function tell(webhook: Webhook, occurredAt: Date) {
  const { id, organizationId, url, events, active, disabledAt, disabledReason } = webhook;
  const payload: z.infer<typeof webhookPayload> = {
    id,
    url,
    events,
    active,
    disabled_at: disabledAt?.toISOString() ?? null,
    disabled_reason: disabledReason,
  };
  return { organizationId, occurredAt, subject: { type: 'Webhook', id }, data: { webhook: payload } };
}
