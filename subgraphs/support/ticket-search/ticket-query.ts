import type { RowFilter } from '../../../kernel/lists/row-filter.ts';

/**
 * Input from which the statements of a ticket search are built: the conditions on tickets, the search words, the access
 * to internal comments, and the progress of two backfills.
 */
export interface TicketQuery {
  filter: RowFilter;
  /** Search words, or the number or id of one ticket. Empty if there are none. */
  words: string;
  /** True if internal comments are searched too. */
  isDesk: boolean;
  /**
   * True if the backfill that removes accents from the stored words is done (ticket-text.ts). Until then, searches look for the search
   * words both with and without their accents.
   */
  isConverted: boolean;
  /** True if the account of the ticket is stored with every text (ticket-text.ts). If not, searches read the account from the ticket. */
  hasAccounts: boolean;
}
