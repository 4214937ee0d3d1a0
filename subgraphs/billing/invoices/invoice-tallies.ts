import type { Tally } from '../../../kernel/tally/tally.ts';

/** Counts the invoices of each organization with each status. */
export const INVOICE_TALLY: Tally = {
  schema: 'billing',
  table: 'invoice_tally',
  of: 'invoice',
  owners: [],
  dimensions: ['status'],
  backfill: 'invoice-tally',
};

/** Counts the invoices of each account with each status. */
export const INVOICE_ACCOUNT_TALLY: Tally = {
  ...INVOICE_TALLY,
  table: 'invoice_account_tally',
  owners: ['account_id'],
  backfill: 'invoice-account-tally',
};
