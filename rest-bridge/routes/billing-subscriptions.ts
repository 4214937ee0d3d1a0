import { area, del, get, post, put, view } from '../route.ts';

const subscription = view(
  'BillingSubscription',
  `{
    subscription_id: id accountId kind status currency
    services: items { serviceId name billingCycle autoRenew price periodStart periodEnd nextDate endedAt }
    paymentMethodId startDate endDate nextInvoiceDate revision createdAt updatedAt
  }`,
);

/** Recurring billing (specification 4.5). */
export const billingSubscriptions = area(
  'Recurring billing',
  'Subscriptions: services that are billed regularly. Each service in operation is in one subscription.',
  [
    post('createRecurringBilling', '/billing/recurring', 'createRecurringBilling', {
      summary: 'Create a subscription',
      description:
        'Bills services of an account regularly, with a billing cycle for each. The subscription takes them over at the start of the local day of `start_date`; what was billed beyond is credited. When the subscription ends, the automatic subscription of the account bills the services again.',
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
        'Changes the terms of a subscription. A new billing cycle counts from the next period. The status `active` undoes a cancellation that has not taken effect.',
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
        'Ends a subscription at the end of what is billed, or `now`, with credit for the rest. Its services stay in service: the automatic subscription of the account bills them from then on. An automatic subscription ends with its services.',
      category: 'billing',
      errors: { INVALID_STATE: 'the subscription is cancelled, or automatic' },
      select: subscription,
    }),
  ],
  'Billing',
);
