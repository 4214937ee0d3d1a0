import { invoices } from './0001-invoices.ts';

/** In order. */
export const migrations = [invoices];
