import type { Tally } from '../../../kernel/tally/tally.ts';

const DIMENSIONS = ['status', 'priority', 'category', 'agent_id'];

/** Counters of the tickets of each kind (migration 0006). */
export const TICKET_TALLY: Tally = { schema: 'support', table: 'ticket_tally', of: 'ticket', owners: [], dimensions: DIMENSIONS };

/**
 * Counters of the tickets of each account and customer (migration 0018). If a ticket has only an account or only a customer, the other
 * column contains an empty string. Tickets with neither are not counted.
 */
export const TICKET_ACCOUNT_TALLY: Tally = {
  schema: 'support',
  table: 'ticket_account_tally',
  of: 'ticket',
  owners: ['account_id', 'customer_id'],
  dimensions: DIMENSIONS,
  backfill: 'account-tally',
};
