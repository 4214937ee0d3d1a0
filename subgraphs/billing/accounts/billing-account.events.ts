import { z } from 'zod';
import { defineEvent, timestamp } from '../../../kernel/events/events.ts';
import type { ChangeSet } from '../../../kernel/records/changes.ts';
import { BillingCycle } from '../../../kernel/values/billing-cycle.ts';
import type { BillingAccount } from './billing-account.entity.ts';
import { DeliveryPreference } from './delivery-preference.ts';

const preferences = {
  currency: z.string(),
  billing_cycle: z.enum(BillingCycle),
  auto_pay: z.boolean(),
  payment_method_id: z.string().nullable(),
  invoice_delivery: z.enum(DeliveryPreference),
  billing_day: z.int().nullable(),
  tax_id: z.string().nullable(),
};
type Preference = keyof typeof preferences;

export const billingAccountUpdated = defineEvent(
  {
    name: 'billing_account.updated',
    family: 'billing',
    description: 'The billing preferences of an account were changed.',
    data: z.strictObject({
      billing_account: z.strictObject({ account_id: z.string(), ...preferences, revision: z.int(), updated_at: timestamp }),
      changes: z
        .partialRecord(z.enum(Object.keys(preferences) as [Preference]), z.strictObject({ from: z.unknown(), to: z.unknown() }))
        .describe('Each preference that changed, with its old and its new value.'),
    }),
    example: {
      billing_account: {
        account_id: 'acc_01JQ8Z6V4T9M3N2B1C0D9E8F7G',
        currency: 'USD',
        billing_cycle: BillingCycle.MONTHLY,
        auto_pay: true,
        payment_method_id: 'pm_01JQ8Z6V4T9M3N2B1C0D9E8F7G',
        invoice_delivery: DeliveryPreference.EMAIL,
        billing_day: null,
        tax_id: null,
        revision: 2,
        updated_at: '2026-02-14T08:00:00.000Z',
      },
      changes: { auto_pay: { from: false, to: true } },
    },
  },
  (account: BillingAccount, changes: ChangeSet, now: Date) => {
    const { organizationId, accountId, revision } = account;
    const billing_account = { account_id: accountId, ...preferencesOf(account), revision, updated_at: now.toISOString() };
    return {
      organizationId,
      occurredAt: now,
      subject: { type: 'BillingAccount', id: accountId },
      accountId,
      data: { billing_account, changes },
    };
  },
);

/** Returns the preferences with their names in events and in REST. */
export const preferencesOf = (account: BillingAccount) => ({
  currency: account.currency,
  billing_cycle: account.billingCycle,
  auto_pay: account.autoPay,
  payment_method_id: account.paymentMethodId,
  invoice_delivery: account.invoiceDelivery,
  billing_day: account.billingDay,
  tax_id: account.taxId,
});

export const billingAccountEvents = [billingAccountUpdated.type];
