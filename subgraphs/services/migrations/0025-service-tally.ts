import { migration } from '../../../kernel/migrations/migration.ts';
import { tallyTable } from '../../../kernel/tally/tally-table.ts';
import { SERVICE_ACCOUNT_TALLY, SERVICE_TALLY } from '../inventory/service-tallies.ts';

/**
 * Adds counters of the services of each organization and account by status, kind and catalog service. A background task counts existing
 * services later (kernel/tally/tally-backfill.ts).
 */
export const serviceTally = migration('0025-service-tally', [...tallyTable(SERVICE_TALLY), ...tallyTable(SERVICE_ACCOUNT_TALLY)]);
