import type { RowFilter } from '../../../kernel/lists/row-filter.ts';

/**
 * Criteria of a ticket search. A ticket must meet every criterion that is set. If a criterion is a list, the ticket
 * must have one of the values in the list.
 */
export interface TicketCriteria {
  /** Search words, or the number or id of one ticket. */
  q?: string | null;
  status?: readonly string[] | null;
  priority?: readonly string[] | null;
  /**
   * Accounts of the tickets. The search sets this field to the accounts that the caller is limited to. Null if the caller is not limited.
   */
  accountId?: readonly string[] | null;
  customerId?: readonly string[] | null;
  category?: readonly string[] | null;
  /** Ids of the agents to whom the tickets are assigned. */
  assignedTo?: readonly string[] | null;
  serviceAffected?: readonly string[] | null;
  /** Earliest creation time of the tickets (inclusive). */
  createdAfter?: Date | null;
  /** Time before which the tickets were created (exclusive). */
  createdBefore?: Date | null;
}

/** Returns the conditions of the criteria on the columns of tickets. They include all criteria but the search words. */
export const filterOf = (organizationId: string, criteria: TicketCriteria): RowFilter => ({
  organizationId,
  values: {
    status: criteria.status,
    priority: criteria.priority,
    account_id: criteria.accountId,
    customer_id: criteria.customerId,
    category: criteria.category,
    agent_id: criteria.assignedTo,
    service_affected: criteria.serviceAffected,
  },
  createdAfter: criteria.createdAfter,
  createdBefore: criteria.createdBefore,
});
