import { z } from 'zod';
import { defineEvent, timestamp } from '../../../kernel/events/events.ts';
import type { BillingSubscription } from './subscription.entity.ts';
import { SubscriptionKind, SubscriptionStatus } from './subscription.states.ts';
import type { SubscriptionItem } from './subscription-item.entity.ts';

/** Maximum number of services in an event. An automatic subscription may have thousands of services. */
export const EVENT_ITEMS_MAX = 100;

const subscriptionPayload = z.strictObject({
  id: z.string(),
  account_id: z.string(),
  kind: z.enum(SubscriptionKind).optional().describe('`automatic`: the platform created it for the services of the account.'),
  status: z.enum(SubscriptionStatus),
  currency: z.string().optional(),
  services: z
    .array(
      z.strictObject({
        service_id: z.string(),
        billing_cycle: z.string(),
        auto_renew: z.boolean(),
        name: z.string().optional(),
        price: z.number().optional().describe('Price of one month.'),
        period_start: timestamp.nullable().optional().describe('Start of the current period. Null before the first one.'),
        period_end: timestamp.nullable().optional().describe('End of the current period, exclusive.'),
        next_date: timestamp.nullable().optional().describe('Start of the next period that is billed. Null if there is none.'),
        ended_at: timestamp
          .nullable()
          .optional()
          .describe('When the subscription stopped billing the service. Null while it bills the service.'),
      }),
    )
    .describe(`The ${EVENT_ITEMS_MAX} services that were added last, oldest first.`),
  services_total: z.int().optional().describe('Number of all services of the subscription.'),
  payment_method_id: z.string().nullable(),
  start_date: timestamp,
  end_date: timestamp.nullable().describe('End of the billed period. Null while the subscription is active.'),
  next_invoice_date: timestamp.nullable().optional().describe('When the next period begins. Null if there is none.'),
  revision: z.int().optional(),
  created_at: timestamp.optional(),
  updated_at: timestamp.optional(),
});

const example: z.input<typeof subscriptionPayload> = {
  id: 'sub_01JQ8Z6V4T9M3N2B1C0D9E8F7G',
  account_id: 'acc_01JQ8Z6V4T9M3N2B1C0D9E8F7G',
  kind: SubscriptionKind.AGREED,
  status: SubscriptionStatus.ACTIVE,
  currency: 'USD',
  services: [
    {
      service_id: 'svc_01JQ8Z6V4T9M3N2B1C0D9E8F7G',
      billing_cycle: 'monthly',
      auto_renew: true,
      name: 'Fiber 1000 Mbps',
      price: 149.95,
      period_start: '2026-02-01T00:00:00.000Z',
      period_end: '2026-03-01T00:00:00.000Z',
      next_date: '2026-03-01T00:00:00.000Z',
      ended_at: null,
    },
  ],
  services_total: 1,
  payment_method_id: 'pm_01JQ8Z6V4T9M3N2B1C0D9E8F7G',
  start_date: '2026-02-01T00:00:00.000Z',
  end_date: null,
  next_invoice_date: '2026-03-01T00:00:00.000Z',
  revision: 1,
  created_at: '2026-01-25T09:30:00.000Z',
  updated_at: '2026-01-25T09:30:00.000Z',
};

const family = 'billing';
const plain = z.strictObject({ subscription: subscriptionPayload });

/** A subscription and its subscription items. */
export interface Subscribed {
  subscription: BillingSubscription;
  items: readonly SubscriptionItem[];
  /** Figures about all items. Undefined if `items` contains all of them. */
  all?: { count: number; nextDate: Date | null };
}

export const subscriptionCreated = defineEvent(
  {
    name: 'subscription.created',
    family,
    description: 'A subscription was created: services of an account are now billed regularly, or will be from its start.',
    data: plain,
    example: { subscription: example },
  },
  (subscribed: Subscribed) => about(subscribed, {}),
);

export const subscriptionUpdated = defineEvent(
  {
    name: 'subscription.updated',
    family,
    description: 'The services or the terms of a subscription changed, or a cancellation was undone.',
    data: plain,
    example: { subscription: { ...example, revision: 2 } },
  },
  (subscribed: Subscribed) => about(subscribed, {}),
);

export const subscriptionCancelled = defineEvent(
  {
    name: 'subscription.cancelled',
    family,
    description: 'A subscription was cancelled. It is billed until `end_date`.',
    data: z.strictObject({ subscription: subscriptionPayload, reason: z.string().nullable() }),
    example: {
      subscription: { ...example, status: SubscriptionStatus.CANCELLED, end_date: '2026-03-01T00:00:00.000Z' },
      reason: 'Office closed',
    },
  },
  (subscribed: Subscribed, reason: string | null) => about(subscribed, { reason }),
);

export const subscriptionEvents = [subscriptionCreated.type, subscriptionUpdated.type, subscriptionCancelled.type];

function about<T extends object>(subscribed: Subscribed, more: T) {
  const { organizationId, accountId, id, updatedAt } = subscribed.subscription;
  return {
    organizationId,
    occurredAt: updatedAt,
    subject: { type: 'BillingSubscription', id },
    accountId,
    data: { subscription: payloadOf(subscribed), ...more },
  };
}

const payloadOf = ({ subscription, items, all }: Subscribed): z.infer<typeof subscriptionPayload> => ({
  id: subscription.id,
  account_id: subscription.accountId,
  kind: subscription.kind,
  status: subscription.status,
  currency: subscription.currency,
  services: items.map((item) => ({
    service_id: item.serviceId,
    billing_cycle: item.billingCycle,
    auto_renew: item.autoRenew,
    name: item.name,
    price: item.price.toNumber(),
    period_start: item.periodStart?.toISOString() ?? null,
    period_end: item.periodEnd?.toISOString() ?? null,
    next_date: item.nextDate?.toISOString() ?? null,
    ended_at: item.endedAt?.toISOString() ?? null,
  })),
  services_total: all?.count ?? items.length,
  payment_method_id: subscription.paymentMethodId,
  start_date: subscription.startDate.toISOString(),
  end_date: subscription.endDate?.toISOString() ?? null,
  next_invoice_date: (all ? all.nextDate : nextDateOf(items))?.toISOString() ?? null,
  revision: subscription.revision,
  created_at: subscription.createdAt.toISOString(),
  updated_at: subscription.updatedAt.toISOString(),
});

/** Returns the time at which the next period of one of these items begins. Null if no period follows. */
export function nextDateOf(items: readonly SubscriptionItem[]): Date | null {
  const times = items.map(({ nextDate }) => nextDate?.getTime()).filter((time) => time !== undefined);
  return times.length > 0 ? new Date(Math.min(...times)) : null;
}
