import { BillingAccount } from './accounts/billing-account.entity.ts';
import { Budget } from './budgets/budget.entity.ts';
import { Collection } from './collection/collection.entity.ts';
import { Dunning } from './collection/dunning.entity.ts';
import { CreditNote, CreditNoteLine } from './credits/credit-note.entity.ts';
import { InvoiceDelivery } from './delivery/invoice-delivery.entity.ts';
import { Dispute } from './disputes/dispute.entity.ts';
import { InvoiceSettings } from './invoice-settings/invoice-settings.entity.ts';
import { Invoice } from './invoices/invoice.entity.ts';
import { InvoiceLine } from './invoices/invoice-line.entity.ts';
import { InvoiceTax } from './invoices/invoice-tax.entity.ts';
import { AccountBalance } from './ledger/account-balance.entity.ts';
import { Payment } from './payments/payment.entity.ts';
import { PaymentMethod } from './payments/payment-method.entity.ts';
import { Refund } from './payments/refund.entity.ts';
import { BillingSubscription } from './subscriptions/subscription.entity.ts';
import { SubscriptionCharge } from './subscriptions/subscription-charge.entity.ts';
import { SubscriptionItem } from './subscriptions/subscription-item.entity.ts';
import { TaxExemption } from './taxes/tax-exemption.entity.ts';
import { TaxRate } from './taxes/tax-rate.entity.ts';
import { UsagePrice } from './usage-prices/usage-price.entity.ts';

/** Tables of the billing domain that have an entity class. */
export const entities = [
  ...[Invoice, InvoiceLine, InvoiceTax, InvoiceSettings, InvoiceDelivery],
  ...[AccountBalance, BillingAccount, Collection, Dunning, TaxRate, TaxExemption],
  ...[PaymentMethod, Payment, Refund, Dispute, CreditNote, CreditNoteLine],
  ...[BillingSubscription, SubscriptionItem, SubscriptionCharge, UsagePrice, Budget],
];

/** Tables of the billing domain that only SQL statements read and write. */
export const tablesWithoutEntity = [
  ...['ledger_transfer', 'ledger_audit', 'waiting_credit', 'test_processor_charge', 'test_processor_refund', 'early_service_event'],
  ...['usage_key', 'usage_event', 'usage_day', 'usage_period'],
  ...['cost_month', 'cost_credit', 'revenue_day', 'due_day', 'recurring_day', 'recurring_service', 'budget_alert', 'sandbox_clock'],
];
