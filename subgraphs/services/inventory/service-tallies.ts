import type { Tally } from '../../../kernel/tally/tally.ts';

/** Counts the services of each organization by status, kind and catalog service (migration 0025). */
export const SERVICE_TALLY: Tally = {
  schema: 'services',
  table: 'service_tally',
  of: 'service',
  owners: [],
  dimensions: ['status', 'type', 'service_type', 'catalog_id'],
  backfill: 'service-tally',
};

/** Counts the services of each account in the same way. */
export const SERVICE_ACCOUNT_TALLY: Tally = {
  ...SERVICE_TALLY,
  table: 'service_account_tally',
  owners: ['account_id'],
  backfill: 'service-account-tally',
};
