import type { Ports } from '../../kernel/domain.ts';
import { RecordReader } from '../../kernel/records/record-reader.ts';
import { Counters } from '../../kernel/tally/counters.ts';
import { CreditNote, CreditNoteLine } from './credits/credit-note.entity.ts';
import { Invoice } from './invoices/invoice.entity.ts';
import { creditSweeper } from './invoices/invoice-credit.ts';
import { InvoiceLine } from './invoices/invoice-line.entity.ts';
import { overdueSweeper } from './invoices/invoice-overdue.sweeper.ts';
import { INVOICE_ACCOUNT_TALLY, INVOICE_TALLY } from './invoices/invoice-tallies.ts';
import { InvoiceTax } from './invoices/invoice-tax.entity.ts';
import { Payment } from './payments/payment.entity.ts';
import { PaymentAttempts } from './payments/payment-attempts.ts';
import { PaymentMethod } from './payments/payment-method.entity.ts';
import { Refund } from './payments/refund.entity.ts';
import { defineSettlement, settlementSweepers } from './payments/settlement.job.ts';
import { type CreateProcessor, testProcessor } from './processors/processors.ts';
import { TaxExemption } from './taxes/tax-exemption.entity.ts';

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
  return {
    ports,
    processor,
    counters: new Counters(ports, INVOICE_TALLY, INVOICE_ACCOUNT_TALLY),
    attempts,
    sweepers: [overdueSweeper(ports), creditSweeper(ports), ...settlementSweepers(ports)],
    readers: {
      creditNoteLines: new RecordReader(ports, CreditNoteLine),
      creditNotes: new RecordReader(ports, CreditNote),
      invoices: new RecordReader(ports, Invoice),
      invoiceTaxes: new RecordReader(ports, InvoiceTax),
      lines: new RecordReader(ports, InvoiceLine),
      payments: new RecordReader(ports, Payment),
      paymentMethods: new RecordReader(ports, PaymentMethod),
      refunds: new RecordReader(ports, Refund),
      taxExemptions: new RecordReader(ports, TaxExemption),
    },
  };
}
