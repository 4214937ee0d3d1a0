import type { TicketCriteria } from './ticket-criteria.ts';

/** Organization, criteria and state of the search, from which a statement is built. */
export interface TicketQuery {
  organizationId: string;
  criteria: TicketCriteria;
  /** Whether internal comments are searched too. */
  isDesk: boolean;
  /**
   * Whether the background conversion of all stored texts to words without accents is done (ticket-text.ts). If it is
   * not done, searches also look for the words with their accents.
   */
  isConverted: boolean;
  /**
   * Whether the account of the ticket is stored with every text (ticket-text.ts). If not, searches read the account
   * from the ticket.
   */
  hasAccounts: boolean;
}
