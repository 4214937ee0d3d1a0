import { migration } from '../../../kernel/migrations/migration.ts';
import { tallyTable } from '../../../kernel/tally/tally-table.ts';
import { PAYMENT_ACCOUNT_TALLY, PAYMENT_TALLY } from '../payments/payment-tallies.ts';

/**
 * Adds counters of the payments of each organization and account by status, and an index for lists of payments that did not succeed. A
 * background task counts existing payments later (kernel/tally/tally-backfill.ts). The index has few rows, so that building it is fast.
 */
export const paymentTally = migration('0019-payment-tally', [
  ...tallyTable(PAYMENT_TALLY),
  ...tallyTable(PAYMENT_ACCOUNT_TALLY),
  `create index "payment_unsuccessful_index" on "billing"."payment" ("organization_id", "status", "created_at", "id")
     where "status" in ('pending', 'failed')`,
]);
