import { invoices } from './0001-invoices.ts';
import { retention } from './0002-retention.ts';
import { tracing } from './0003-tracing.ts';
import { invoiceTally } from './0004-invoice-tally.ts';
import { ledger } from './0005-ledger.ts';
import { payments } from './0006-payments.ts';
import { invoiceDetails } from './0008-invoice-details.ts';
import { subscriptions } from './0010-subscriptions.ts';

/** Migrations in the order in which they are applied. */
export const migrations = [invoices, retention, tracing, invoiceTally, ledger, payments, invoiceDetails, subscriptions];
