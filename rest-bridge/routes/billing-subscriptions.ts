import { area, del, get, post, put, view } from '../route.ts';

const subscription = view(
  'BillingSubscription',
  `{
    subscription_id: id accountId kind status currency
    services: items { serviceId name billingCycle autoRenew price periodStart periodEnd nextDate endedAt }
    paymentMethodId startDate endDate nextInvoiceDate revision createdAt updatedAt
  }`,
);

/** REST routes of recurring billing (specification 4.5). */
export const billingSubscriptions = area(
  'Recurring billing',
  'A subscription bills services of an account regularly. Each service in operation is in exactly one subscription.',
  [
    post('createRecurringBilling', '/billing/recurring', 'createRecurringBilling', {
      summary: 'Create a subscription',
      description:
        'Creates a subscription, which bills services of an account regularly. Each service has its own billing cycle. The subscription starts at the beginning of the day of `start_date`, in the time zone of the account. If a service was already billed for a later time, that part is credited. When the subscription ends, the automatic subscription of the account bills the services again.',
      category: 'billing',
      errors: {
        INVALID_STATE: 'a service is not in service or will be taken over by another subscription, or the payment method is not reusable',
      },
      select: subscription,
      example: {
        account_id: 'acc_01JQ8Z6V4T9M3N2B1C0D9E8F7G',
        services: [{ service_id: 'svc_01JQ8Z6V4T9M3N2B1C0D9E8F7G', billing_cycle: 'quarterly', auto_renew: true }],
        start_date: '2030-01-31T00:00:00Z',
      },
    }),
    get('listSubscriptions', '/billing/subscriptions', 'subscriptions', {
      summary: 'List subscriptions',
      category: 'billing',
      select: subscription,
    }),
    put('updateSubscription', '/billing/subscriptions/{subscription_id}', 'updateSubscription', {
      summary: 'Update a subscription',
      description:
        'Changes the terms of a subscription. A new billing cycle applies from the next period. The status `active` undoes a cancellation that has not taken effect.',
      category: 'billing',
      errors: {
        INVALID_STATE: 'the subscription is cancelled, its services would be billed by nothing, or the payment method is not reusable',
      },
      select: subscription,
      example: { auto_renew: true },
    }),
    del('cancelSubscription', '/billing/subscriptions/{subscription_id}', 'cancelSubscription', {
      summary: 'Cancel a subscription',
      description:
        'Ends a subscription. With `period_end`, each service is billed until the end of its current period. With `now`, billing ends immediately, and the rest of the billed periods is credited. The services continue. The automatic subscription of the account bills them from that time on. An automatic subscription cannot be cancelled: it ends with its last service.',
      category: 'billing',
      errors: { INVALID_STATE: 'the subscription is cancelled, or automatic' },
      select: subscription,
    }),
  ],
  'Billing',
);
