import { type Allowance, NO_LIMIT } from '../../kernel/access/allowances.ts';
import type { EntityManager } from '../../kernel/database/database.ts';
import type { Ports } from '../../kernel/domain.ts';
import type { Mailer } from '../../kernel/messages/mail.ts';
import type { SmsSender } from '../../kernel/messages/sms.ts';
import type { Metrics } from '../../kernel/metrics/metrics.ts';
import { RecordReader } from '../../kernel/records/record-reader.ts';
import { Counters } from '../../kernel/tally/counters.ts';
import { RetentionTask } from '../../kernel/work/retention.ts';
import { BillingAccount } from './accounts/billing-account.entity.ts';
import { DeliveryPreference } from './accounts/delivery-preference.ts';
import { DUE_DAY, RECURRING_DAY, REVENUE_DAY } from './analytics/revenue-tables.ts';
import { auditSweeper, defineAudit, sampleAudits } from './audit/ledger-audit.job.ts';
import { Budget } from './budgets/budget.entity.ts';
import { budgetSweeper } from './budgets/budget.sweeper.ts';
import { BudgetMails } from './budgets/budget-mail.job.ts';
import { MARK_BUDGETS } from './budgets/budget-tables.ts';
import { automaticPaymentSweeper, CHARGES, defineCharges } from './collection/automatic-payment.job.ts';
import { type CollectionTerms, DEFAULT_TERMS } from './collection/collection-terms.ts';
import { Dunning } from './collection/dunning.entity.ts';
import { defineDunning, dunningSweeper, REVIEWS } from './collection/dunning.job.ts';
import { ReminderMails } from './collection/reminder.mails.ts';
import { COST_MONTH } from './costs/cost-tables.ts';
import { CreditNote, CreditNoteLine } from './credits/credit-note.entity.ts';
import { InvoiceDelivery } from './delivery/invoice-delivery.entity.ts';
import { InvoiceSender } from './delivery/invoice-sender.job.ts';
import { Dispute } from './disputes/dispute.entity.ts';
import { InvoiceDocuments } from './documents/invoice-documents.ts';
import { Invoice } from './invoices/invoice.entity.ts';
import { creditSweeper } from './invoices/invoice-credit.ts';
import { InvoiceLine } from './invoices/invoice-line.entity.ts';
import { overdueSweeper } from './invoices/invoice-overdue.sweeper.ts';
import { INVOICE_ACCOUNT_TALLY, INVOICE_TALLY } from './invoices/invoice-tallies.ts';
import { InvoiceTax } from './invoices/invoice-tax.entity.ts';
import { ProcessorNotices } from './notifications/processor-notices.ts';
import { testDisputeSweeper } from './notifications/test-disputes.sweeper.ts';
import { defineDetachment } from './payments/method-detachment.job.ts';
import { Payment } from './payments/payment.entity.ts';
import { PaymentAttempts } from './payments/payment-attempts.ts';
import { PaymentMethod } from './payments/payment-method.entity.ts';
import { PAYMENT_ACCOUNT_TALLY, PAYMENT_TALLY } from './payments/payment-tallies.ts';
import { Refund } from './payments/refund.entity.ts';
import { defineSettlement, SETTLEMENTS, settlementSweepers } from './payments/settlement.job.ts';
import { type CreateProcessor, testProcessor } from './processors/processors.ts';
import { Sandbox } from './sandbox/sandbox.ts';
import { recurringCosts } from './subscriptions/recurring-costs.ts';
import { RecurringRun } from './subscriptions/recurring-run.ts';
import { serviceAdoption } from './subscriptions/service-adoption.ts';
import { BillingSubscription } from './subscriptions/subscription.entity.ts';
import { SubscriptionItem } from './subscriptions/subscription-item.entity.ts';
import { Sums } from './sums/sums.ts';
import { TaxExemption } from './taxes/tax-exemption.entity.ts';
import { usageRetention } from './usage/usage.retention.ts';
import { UsageStore } from './usage/usage.store.ts';
import { usagePartitions } from './usage/usage-partitions.ts';

const RETENTION_MS = 600_000;

export interface BillingPorts extends Ports {
  /** Creates the payment processor. Default: the test processor, which moves no money. */
  paymentProcessor?: CreateProcessor;
  /** Metrics of the platform. Default: none. */
  metrics?: Metrics;
  /** True if organizations of a sandbox can advance their clock (`advanceSandboxClock`). Default: false. */
  sandbox?: boolean;
  mailer: Mailer;
  sms: SmsSender;
  /** True if new invoices are sent by e-mail, except to accounts whose `invoiceDelivery` is `none`. */
  mailsInvoices: boolean;
  /** Days on which payments are retried, reminders are sent and services are suspended. Default: `DEFAULT_TERMS`. */
  collection?: CollectionTerms;
  /** Number of usage events that an organization may record per minute. Default: no limit. */
  usageAllowance?: Allowance;
}

/** Objects that exist once per process. All requests share these objects. */
export type BillingCore = ReturnType<typeof createCore>;

export function createCore({ paymentProcessor = testProcessor, ...given }: BillingPorts) {
  const { collection: terms = DEFAULT_TERMS, usageAllowance = NO_LIMIT, metrics, ...outer } = given;
  const sandbox = outer.sandbox ? new Sandbox(outer) : undefined;
  const ports = sandbox ? sandbox.portsIn(outer) : outer;
  const processor = paymentProcessor(ports);
  const attempts = new PaymentAttempts({ ...ports, processor });
  defineSettlement(ports, attempts);
  defineAudit(ports);
  defineDetachment(ports, processor);
  defineCharges(ports, attempts);
  defineDunning(ports, terms, new ReminderMails(ports));
  const readers = readersOf(ports);
  const documents = new InvoiceDocuments({ ...ports, ...readers });
  const partitions = usagePartitions(ports.orm);
  const timed = [
    new RecurringRun(ports).sweeper,
    overdueSweeper(ports),
    creditSweeper(ports),
    ...settlementSweepers(ports),
    automaticPaymentSweeper(ports, { processor, terms }),
    dunningSweeper(ports, terms),
    testDisputeSweeper(ports),
    budgetSweeper(ports, new BudgetMails(ports)),
  ];
  sandbox?.define(timed, [CHARGES, SETTLEMENTS, REVIEWS]);
  const retained = usageRetention({ ...ports, partitions });
  return {
    ports,
    documents,
    sender: new InvoiceSender({ ...ports, documents }),
    wantsMail: async (tx: EntityManager, organizationId: string, accountId: string) => {
      if (!ports.mailsInvoices) return false;
      const account = await tx.findOne(BillingAccount, { organizationId, accountId });
      return account?.invoiceDelivery !== DeliveryPreference.NONE;
    },
    processor,
    counters: new Counters(ports, INVOICE_TALLY, INVOICE_ACCOUNT_TALLY),
    paymentCounters: new Counters(ports, PAYMENT_TALLY, PAYMENT_ACCOUNT_TALLY),
    sums: new Sums(ports, { sums: COST_MONTH, marks: MARK_BUDGETS }, { sums: REVENUE_DAY }, { sums: DUE_DAY }, { sums: RECURRING_DAY }),
    attempts,
    notices: new ProcessorNotices({ ...ports, processor }),
    sampleAudits: () => metrics && sampleAudits(ports, metrics),
    adoption: serviceAdoption(ports),
    usageStore: new UsageStore(partitions),
    usageAllowance,
    recurringCosts: recurringCosts(ports.rows),
    retained,
    retention: new RetentionTask({ name: 'billing.usage', everyMs: RETENTION_MS, log: ports.log }, () => retained),
    sandbox,
    sweepers: [...timed, auditSweeper(ports)],
    readers,
  };
}

const readersOf = (ports: Ports) => ({
  billingAccounts: new RecordReader(ports, BillingAccount),
  budgets: new RecordReader(ports, Budget),
  creditNotes: new RecordReader(ports, CreditNote),
  creditNoteLines: new RecordReader(ports, CreditNoteLine),
  deliveries: new RecordReader(ports, InvoiceDelivery),
  disputes: new RecordReader(ports, Dispute),
  dunning: new RecordReader(ports, Dunning),
  invoices: new RecordReader(ports, Invoice),
  invoiceTaxes: new RecordReader(ports, InvoiceTax),
  lines: new RecordReader(ports, InvoiceLine),
  payments: new RecordReader(ports, Payment),
  paymentMethods: new RecordReader(ports, PaymentMethod),
  refunds: new RecordReader(ports, Refund),
  subscriptions: new RecordReader(ports, BillingSubscription),
  subscriptionItems: new RecordReader(ports, SubscriptionItem),
  taxExemptions: new RecordReader(ports, TaxExemption),
});
