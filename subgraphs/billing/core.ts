import type { EntityManager } from '../../kernel/database/database.ts';
import type { Ports } from '../../kernel/domain.ts';
import type { Mailer } from '../../kernel/messages/mail.ts';
import type { SmsSender } from '../../kernel/messages/sms.ts';
import type { Metrics } from '../../kernel/metrics/metrics.ts';
import { RecordReader } from '../../kernel/records/record-reader.ts';
import { Counters } from '../../kernel/tally/counters.ts';
import { BillingAccount } from './accounts/billing-account.entity.ts';
import { DeliveryPreference } from './accounts/delivery-preference.ts';
import { auditSweeper, defineAudit, sampleAudits } from './audit/ledger-audit.job.ts';
import { automaticPaymentSweeper, defineCharges } from './collection/automatic-payment.job.ts';
import { type CollectionTerms, DEFAULT_TERMS } from './collection/collection-terms.ts';
import { Dunning } from './collection/dunning.entity.ts';
import { defineDunning, dunningSweeper } from './collection/dunning.job.ts';
import { ReminderMails } from './collection/reminder.mails.ts';
import { InvoiceDelivery } from './delivery/invoice-delivery.entity.ts';
import { InvoiceSender } from './delivery/invoice-sender.job.ts';
import { Dispute } from './disputes/dispute.entity.ts';
import { InvoiceDocuments } from './documents/invoice-documents.ts';
import { CreditNote, CreditNoteLine } from './credits/credit-note.entity.ts';
import type { MessageQueueParts } from '../../kernel/messages/message-queue.ts';
import { RecordReader } from '../../kernel/records/record-reader.ts';
import { Counters } from '../../kernel/tally/counters.ts';
import { DUE_DAY, RECURRING_DAY, REVENUE_DAY } from './analytics/revenue-tables.ts';
import { Budget } from './budgets/budget.entity.ts';
import { budgetSweeper } from './budgets/budget.sweeper.ts';
import { BudgetMails } from './budgets/budget-mail.job.ts';
import { MARK_BUDGETS } from './budgets/budget-tables.ts';
import { COST_MONTH } from './costs/cost-tables.ts';
import { Invoice } from './invoices/invoice.entity.ts';
import { creditSweeper } from './invoices/invoice-credit.ts';
import { InvoiceLine } from './invoices/invoice-line.entity.ts';
import { overdueSweeper } from './invoices/invoice-overdue.sweeper.ts';
import { INVOICE_ACCOUNT_TALLY, INVOICE_TALLY } from './invoices/invoice-tallies.ts';
import { ProcessorNotices } from './notifications/processor-notices.ts';
import { testDisputeSweeper } from './notifications/test-disputes.sweeper.ts';
import { defineDetachment } from './payments/method-detachment.job.ts';
import { InvoiceTax } from './invoices/invoice-tax.entity.ts';
import { Payment } from './payments/payment.entity.ts';
import { PaymentAttempts } from './payments/payment-attempts.ts';
import { PaymentMethod } from './payments/payment-method.entity.ts';
import { Refund } from './payments/refund.entity.ts';
import { defineSettlement, settlementSweepers } from './payments/settlement.job.ts';
import { type CreateProcessor, testProcessor } from './processors/processors.ts';
import { TaxExemption } from './taxes/tax-exemption.entity.ts';
import { Sums } from './sums/sums.ts';

export interface BillingPorts extends Ports {
  /** Creates the payment processor. Default: the test processor, which moves no money. */
  paymentProcessor?: CreateProcessor;
  /** Metrics of the platform. Default: none. */
  metrics?: Metrics;
  mailer: Mailer;
  sms: SmsSender;
  /** Whether new invoices are delivered by e-mail, unless their account has another preference. */
  mailsInvoices: boolean;
  /** When open invoices are charged again, reminded of, and when services are suspended. Default: DEFAULT_TERMS. */
  collection?: CollectionTerms;
  /** Sends the mails of budgets. Default: none are sent. */
  messages?: Pick<MessageQueueParts<object>, 'mailer' | 'sms'>;
}

/** Objects that exist once per process. All requests use them. */
export type BillingCore = ReturnType<typeof createCore>;

export function createCore({ paymentProcessor = testProcessor, collection: terms = DEFAULT_TERMS, metrics, ...ports }: BillingPorts) {
  const processor = paymentProcessor(ports);
  const attempts = new PaymentAttempts({ ...ports, processor });
  defineSettlement(ports, attempts);
  defineAudit(ports);
  defineDetachment(ports, processor);
  defineCharges(ports, attempts);
  defineDunning(ports, terms, new ReminderMails(ports));
  const readers = readersOf(ports);
  const documents = new InvoiceDocuments({ ...ports, ...readers });
export function createCore({ paymentProcessor = testProcessor, messages, ...ports }: BillingPorts) {
  const processor = paymentProcessor(ports);
  const attempts = new PaymentAttempts({ ...ports, processor });
  defineSettlement(ports, attempts);
  const budgetMails = messages && new BudgetMails({ ...ports, ...messages });
  return {
    ports,
    documents,
    sender: new InvoiceSender({ ...ports, documents }),
    wantsMail: async (tx: EntityManager, organizationId: string, accountId: string) => {
      const account = await tx.findOne(BillingAccount, { organizationId, accountId });
      return ports.mailsInvoices && account?.invoiceDelivery !== DeliveryPreference.NONE;
    },
    processor,
    counters: new Counters(ports, INVOICE_TALLY, INVOICE_ACCOUNT_TALLY),
    sums: new Sums(ports, { sums: COST_MONTH, marks: MARK_BUDGETS }, { sums: REVENUE_DAY }, { sums: DUE_DAY }, { sums: RECURRING_DAY }),
    attempts,
    notices: new ProcessorNotices({ ...ports, processor }),
    sampleAudits: () => metrics && sampleAudits(ports, metrics),
    sweepers: [
      overdueSweeper(ports),
      creditSweeper(ports),
      ...settlementSweepers(ports),
      automaticPaymentSweeper(ports, { processor, terms }),
      dunningSweeper(ports),
      testDisputeSweeper(ports),
      auditSweeper(ports),
    ],
    readers,
    sweepers: [overdueSweeper(ports), ...settlementSweepers(ports), budgetSweeper(ports, budgetMails)],
    readers: {
      budgets: new RecordReader(ports, Budget),
      invoices: new RecordReader(ports, Invoice),
      lines: new RecordReader(ports, InvoiceLine),
      payments: new RecordReader(ports, Payment),
      paymentMethods: new RecordReader(ports, PaymentMethod),
      refunds: new RecordReader(ports, Refund),
    },
  };
}

const readersOf = (ports: Ports) => ({
  billingAccounts: new RecordReader(ports, BillingAccount),
  dunning: new RecordReader(ports, Dunning),
  invoices: new RecordReader(ports, Invoice),
  lines: new RecordReader(ports, InvoiceLine),
  invoiceTaxes: new RecordReader(ports, InvoiceTax),
  creditNotes: new RecordReader(ports, CreditNote),
  creditNoteLines: new RecordReader(ports, CreditNoteLine),
  taxExemptions: new RecordReader(ports, TaxExemption),
  deliveries: new RecordReader(ports, InvoiceDelivery),
  payments: new RecordReader(ports, Payment),
  paymentMethods: new RecordReader(ports, PaymentMethod),
  refunds: new RecordReader(ports, Refund),
  disputes: new RecordReader(ports, Dispute),
});
