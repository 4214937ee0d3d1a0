import type { Ports } from '../../kernel/domain.ts';
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
import { InvoiceLine } from './invoices/invoice-line.entity.ts';
import { overdueSweeper } from './invoices/invoice-overdue.sweeper.ts';
import { INVOICE_ACCOUNT_TALLY, INVOICE_TALLY } from './invoices/invoice-tallies.ts';
import { Payment } from './payments/payment.entity.ts';
import { PaymentAttempts } from './payments/payment-attempts.ts';
import { PaymentMethod } from './payments/payment-method.entity.ts';
import { Refund } from './payments/refund.entity.ts';
import { defineSettlement, settlementSweepers } from './payments/settlement.job.ts';
import { type CreateProcessor, testProcessor } from './processors/processors.ts';
import { Sums } from './sums/sums.ts';

export interface BillingPorts extends Ports {
  /** Creates the payment processor. Default: the test processor, which moves no money. */
  paymentProcessor?: CreateProcessor;
  /** Sends the mails of budgets. Default: none are sent. */
  messages?: Pick<MessageQueueParts<object>, 'mailer' | 'sms'>;
}

/** Objects that exist once per process. All requests use them. */
export type BillingCore = ReturnType<typeof createCore>;

export function createCore({ paymentProcessor = testProcessor, messages, ...ports }: BillingPorts) {
  const processor = paymentProcessor(ports);
  const attempts = new PaymentAttempts({ ...ports, processor });
  defineSettlement(ports, attempts);
  const budgetMails = messages && new BudgetMails({ ...ports, ...messages });
  return {
    ports,
    processor,
    counters: new Counters(ports, INVOICE_TALLY, INVOICE_ACCOUNT_TALLY),
    sums: new Sums(ports, { sums: COST_MONTH, marks: MARK_BUDGETS }, { sums: REVENUE_DAY }, { sums: DUE_DAY }, { sums: RECURRING_DAY }),
    attempts,
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
