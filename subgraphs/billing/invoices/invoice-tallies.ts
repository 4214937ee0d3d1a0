import type { Tally } from '../../../kernel/tally/tally.ts';

/** The number of invoices of each organization by status. */
export const INVOICE_TALLY: Tally = {
  schema: 'billing',
  table: 'invoice_tally',
  of: 'invoice',
  owners: [],
  dimensions: ['status'],
  backfill: 'invoice-tally',
};

/** The number of invoices of each account by status. */
export const INVOICE_ACCOUNT_TALLY: Tally = {
  ...INVOICE_TALLY,
  table: 'invoice_account_tally',
  owners: ['account_id'],
  backfill: 'invoice-account-tally',
};
