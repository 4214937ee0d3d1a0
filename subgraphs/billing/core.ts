import type { Ports } from '../../kernel/domain.ts';
import { RecordReader } from '../../kernel/records/record-reader.ts';
import { Counters } from '../../kernel/tally/counters.ts';
import { RetentionTask } from '../../kernel/work/retention.ts';
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
import { NO_RECURRING_COSTS, type RecurringCosts } from './usage/recurring-costs.ts';
import { usageRetention } from './usage/usage.retention.ts';
import { UsageStore } from './usage/usage.store.ts';
import { NO_LIMIT, type UsageAllowance } from './usage/usage-allowance.ts';
import { usagePartitions } from './usage/usage-partitions.ts';

export interface BillingPorts extends Ports {
  /** Creates the payment processor. Default: the test processor, which moves no money. */
  paymentProcessor?: CreateProcessor;
  /** Number of usage events that an organization may record in a minute. Default: no limit. */
  usageAllowance?: UsageAllowance;
}

const RETENTION_MS = 600_000;

/** Objects that exist once per process. All requests use them. */
export type BillingCore = ReturnType<typeof createCore>;

export function createCore({ paymentProcessor = testProcessor, usageAllowance = NO_LIMIT, ...ports }: BillingPorts) {
  const processor = paymentProcessor(ports);
  const attempts = new PaymentAttempts({ ...ports, processor });
  defineSettlement(ports, attempts);
  const partitions = usagePartitions(ports.orm);
  const retained = usageRetention({ ...ports, partitions });
  const recurringCosts: RecurringCosts = NO_RECURRING_COSTS;
  return {
    ports,
    processor,
    counters: new Counters(ports, INVOICE_TALLY, INVOICE_ACCOUNT_TALLY),
    attempts,
    usageStore: new UsageStore(partitions),
    usageAllowance,
    recurringCosts,
    retained,
    retention: new RetentionTask({ name: 'billing.usage', everyMs: RETENTION_MS, log: ports.log }, () => retained),
    sweepers: [overdueSweeper(ports), ...settlementSweepers(ports)],
    readers: {
      invoices: new RecordReader(ports, Invoice),
      lines: new RecordReader(ports, InvoiceLine),
      payments: new RecordReader(ports, Payment),
      paymentMethods: new RecordReader(ports, PaymentMethod),
      refunds: new RecordReader(ports, Refund),
    },
  };
}
