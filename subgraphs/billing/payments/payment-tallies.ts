import type { Tally } from '../../../kernel/tally/tally.ts';

/** Counts the payments of each organization by status. */
export const PAYMENT_TALLY: Tally = {
  schema: 'billing',
  table: 'payment_tally',
  of: 'payment',
  owners: [],
  dimensions: ['status'],
  backfill: 'payment-tally',
};

/** Counts the payments of each account by status. */
export const PAYMENT_ACCOUNT_TALLY: Tally = {
  ...PAYMENT_TALLY,
  table: 'payment_account_tally',
  owners: ['account_id'],
  backfill: 'payment-account-tally',
};
