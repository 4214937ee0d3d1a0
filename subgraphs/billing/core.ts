import type { Ports } from '../../kernel/domain.ts';
import { RecordReader } from '../../kernel/records/record-reader.ts';
import { Counters } from '../../kernel/tally/counters.ts';
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
import { RecurringRun } from './subscriptions/recurring-run.ts';
import { serviceAdoption } from './subscriptions/service-adoption.ts';
import { BillingSubscription } from './subscriptions/subscription.entity.ts';
import { SubscriptionItem } from './subscriptions/subscription-item.entity.ts';
import { DEFAULT_SEAMS } from './subscriptions/subscription-seams.ts';

export interface BillingPorts extends Ports {
  /** Creates the payment processor. Default: the test processor, which moves no money. */
  paymentProcessor?: CreateProcessor;
}

/** Objects that exist once per process. All requests use them. */
export type BillingCore = ReturnType<typeof createCore>;

export function createCore({ paymentProcessor = testProcessor, ...ports }: BillingPorts) {
  const processor = paymentProcessor(ports);
  const attempts = new PaymentAttempts({ ...ports, processor });
  defineSettlement(ports, attempts);
  const seams = DEFAULT_SEAMS;
  return {
    ports,
    processor,
    counters: new Counters(ports, INVOICE_TALLY, INVOICE_ACCOUNT_TALLY),
    attempts,
    seams,
    adoption: serviceAdoption(ports, seams),
    sweepers: [overdueSweeper(ports), ...settlementSweepers(ports), new RecurringRun(ports, seams).sweeper],
    readers: {
      invoices: new RecordReader(ports, Invoice),
      lines: new RecordReader(ports, InvoiceLine),
      payments: new RecordReader(ports, Payment),
      paymentMethods: new RecordReader(ports, PaymentMethod),
      refunds: new RecordReader(ports, Refund),
      subscriptions: new RecordReader(ports, BillingSubscription),
      subscriptionItems: new RecordReader(ports, SubscriptionItem),
    },
  };
}
