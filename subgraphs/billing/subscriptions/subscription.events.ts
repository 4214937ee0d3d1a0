import { z } from 'zod';
import { defineEvent, timestamp } from '../../../kernel/events/events.ts';

const subscriptionPayload = z.strictObject({
  id: z.string(),
  account_id: z.string(),
  status: z.enum(['active', 'cancelled']),
  services: z.array(z.strictObject({ service_id: z.string(), billing_cycle: z.string(), auto_renew: z.boolean() })),
  payment_method_id: z.string().nullable(),
  start_date: timestamp,
  end_date: timestamp.nullable().describe('End of the billed period. Null while the subscription is active.'),
});

const example: z.input<typeof subscriptionPayload> = {
  id: 'sub_01JQ8Z6V4T9M3N2B1C0D9E8F7G',
  account_id: 'acc_01JQ8Z6V4T9M3N2B1C0D9E8F7G',
  status: 'active',
  services: [{ service_id: 'svc_01JQ8Z6V4T9M3N2B1C0D9E8F7G', billing_cycle: 'monthly', auto_renew: true }],
  payment_method_id: 'pm_01JQ8Z6V4T9M3N2B1C0D9E8F7G',
  start_date: '2026-02-01T00:00:00.000Z',
  end_date: null,
};

const family = 'billing';

export const subscriptionCreated = defineEvent({
  name: 'subscription.created',
  family,
  description: 'A subscription started: services of an account are now billed regularly.',
  data: z.strictObject({ subscription: subscriptionPayload }),
  example: { subscription: example },
});

export const subscriptionCancelled = defineEvent({
  name: 'subscription.cancelled',
  family,
  description: 'A subscription was cancelled. It is billed until `end_date`.',
  data: z.strictObject({ subscription: subscriptionPayload, reason: z.string().nullable() }),
  example: {
    subscription: { ...example, status: 'cancelled', end_date: '2026-03-01T00:00:00.000Z' },
    reason: 'Office closed',
  },
});

export const subscriptionEvents = [subscriptionCreated, subscriptionCancelled];
