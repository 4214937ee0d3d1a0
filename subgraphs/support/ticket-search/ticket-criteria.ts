/**
 * Criteria of a ticket search. A ticket must match all properties. It matches a list if it matches one value of the
 * list.
 */
export interface TicketCriteria {
  /** Search words, or the number or id of one ticket. */
  q?: string | null;
  status?: readonly string[] | null;
  priority?: readonly string[] | null;
  /** Accounts whose tickets are searched. Null or undefined means all accounts. */
  accountId?: readonly string[] | null;
  customerId?: readonly string[] | null;
  category?: readonly string[] | null;
  /** Ids of the agents to whom the tickets are assigned. */
  assignedTo?: readonly string[] | null;
  serviceAffected?: readonly string[] | null;
  /** Earliest time of creation (inclusive). */
  createdAfter?: Date | null;
  /** Time before which the tickets were created (exclusive). */
  createdBefore?: Date | null;
}
