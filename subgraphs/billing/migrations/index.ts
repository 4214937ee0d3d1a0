import { invoices } from './0001-invoices.ts';
import { retention } from './0002-retention.ts';
import { tracing } from './0003-tracing.ts';

/** Migrations in the order in which they are applied. */
export const migrations = [invoices, retention, tracing];
