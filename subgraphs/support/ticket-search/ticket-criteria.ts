/** Criteria of a ticket search. All properties must match; a list matches any of its values. */
export interface TicketCriteria {
  /** Search words, or the number or id of one ticket. */
  q?: string | null;
  status?: readonly string[] | null;
  priority?: readonly string[] | null;
  /** Accounts whose tickets are searched. Null or undefined means all accounts. */
  accountId?: readonly string[] | null;
  customerId?: readonly string[] | null;
  category?: readonly string[] | null;
  /** Agent ids. */
  assignedTo?: readonly string[] | null;
  serviceAffected?: readonly string[] | null;
  /** Inclusive. */
  createdAfter?: Date | null;
  /** Exclusive. */
  createdBefore?: Date | null;
}
