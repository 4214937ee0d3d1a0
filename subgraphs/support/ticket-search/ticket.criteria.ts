/** Which tickets are wanted; every member narrows, and a list means any of its values. */
export interface TicketCriteria {
  /** Words of the texts, or the number or id of one ticket. */
  q?: string | null;
  status?: readonly string[] | null;
  priority?: readonly string[] | null;
  /** Those that the caller sees; null and undefined: all. */
  accountId?: readonly string[] | null;
  customerId?: readonly string[] | null;
  category?: readonly string[] | null;
  /** Agent ids. */
  assignedTo?: readonly string[] | null;
  serviceAffected?: readonly string[] | null;
  /** From this instant on. */
  createdAfter?: Date | null;
  /** Before this instant. */
  createdBefore?: Date | null;
}
