import type { TicketCriteria } from './ticket-criteria.ts';

/** The organization, criteria and search state that a statement is built for. */
export interface TicketQuery {
  organizationId: string;
  criteria: TicketCriteria;
  /** Whether internal comments are searched too. */
  isDesk: boolean;
  /**
   * Whether the background conversion of all stored texts to words without accents is done (ticket-text.ts). If not,
   * searches also look for the words with their accents.
   */
  isConverted: boolean;
  /**
   * Whether every stored text has the account of its ticket (ticket-text.ts). If not, searches read the account from
   * the ticket.
   */
  hasAccounts: boolean;
}
