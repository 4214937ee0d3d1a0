import { invoices } from './0001-invoices.ts';
import { retention } from './0002-retention.ts';
import { tracing } from './0003-tracing.ts';
import { invoiceTally } from './0004-invoice-tally.ts';
import { ledger } from './0005-ledger.ts';
import { payments } from './0006-payments.ts';
import { usage } from './0011-usage.ts';

/** Migrations in the order in which they are applied. */
export const migrations = [invoices, retention, tracing, invoiceTally, ledger, payments, usage];
