import type { Ports } from '../../kernel/domain.ts';
import { RecordReader } from '../../kernel/records/record-reader.ts';
import { Invoice } from './invoices/invoice.entity.ts';
import { InvoiceLine } from './invoices/invoice-line.entity.ts';

/** Objects that exist once per process. All requests use them. */
export type BillingCore = ReturnType<typeof createCore>;

export function createCore(ports: Ports) {
  return {
    ports,
    readers: { invoices: new RecordReader(ports, Invoice), lines: new RecordReader(ports, InvoiceLine) },
  };
}
