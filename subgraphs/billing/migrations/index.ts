import { invoices } from './0001-invoices.ts';
import { retention } from './0002-retention.ts';
import { tracing } from './0003-tracing.ts';
import { invoiceTally } from './0004-invoice-tally.ts';
import { ledger } from './0005-ledger.ts';
import { payments } from './0006-payments.ts';
import { billingAccounts } from './0007-billing-accounts.ts';
import { invoiceDetails } from './0008-invoice-details.ts';
import { taxesAndCredits } from './0009-taxes-and-credits.ts';
import { subscriptions } from './0010-subscriptions.ts';
import { usage } from './0011-usage.ts';
import { collection } from './0012-collection.ts';
import { disputes } from './0013-disputes.ts';
import { costsAndBudgets } from './0014-costs-and-budgets.ts';
import { invoiceDelivery } from './0015-invoice-delivery.ts';
import { sandboxClock } from './0016-sandbox-clock.ts';
import { pricedUsage } from './0017-priced-usage.ts';
import { lateUsage } from './0018-late-usage.ts';
import { paymentTally } from './0019-payment-tally.ts';
import { invoiceDueIndex } from './0020-invoice-due-index.ts';
import { overageCurrency } from './0021-overage-currency.ts';
import { costDays } from './0022-cost-days.ts';
import { outboxNotification } from './0023-outbox-notification.ts';

/** Migrations in the order in which they are applied. */
export const migrations = [
  invoices,
  retention,
  tracing,
  invoiceTally,
  ledger,
  payments,
  billingAccounts,
  invoiceDetails,
  taxesAndCredits,
  subscriptions,
  usage,
  collection,
  disputes,
  costsAndBudgets,
  invoiceDelivery,
  sandboxClock,
  pricedUsage,
  lateUsage,
  paymentTally,
  invoiceDueIndex,
  overageCurrency,
  costDays,
  outboxNotification,
];
