import { z } from 'zod';
import { type DomainEvent, defineEvent, timestamp } from '../../../kernel/events.ts';
import type { Webhook } from './webhook.entity.ts';

const webhookPayload = z.strictObject({
  id: z.string(),
  url: z.string(),
  events: z.array(z.string()),
  active: z.boolean(),
  disabled_at: timestamp.nullable(),
  disabled_reason: z.string().nullable(),
  /** Since when every attempt has failed. */
  failing_since: timestamp.nullable(),
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

export const webhookEvents = [
  defineEvent({
    name: TEST_EVENT,
    family,
    description: 'Sent to one webhook by its test operation, whatever it subscribes to.',
    data,
    example,
  }),
  defineEvent({
    name: 'webhook.disabled',
    family,
    description: 'The platform stopped delivering to a webhook; `disabled_reason` says why.',
    data,
    example: disabledExample,
  }),
];

export const webhookTest = (webhook: Webhook, occurredAt: Date): DomainEvent => event(TEST_EVENT, webhook, occurredAt);
export const webhookDisabled = (webhook: Webhook, occurredAt: Date): DomainEvent => event('webhook.disabled', webhook, occurredAt);

function event(name: string, webhook: Webhook, occurredAt: Date): DomainEvent {
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
  return { name, organizationId, occurredAt, subject: { type: 'Webhook', id }, data: { webhook: payload } };
}
