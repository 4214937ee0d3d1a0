/** When open invoices are charged again, reminded of, and when the services of their account are suspended. Days. */
export interface CollectionTerms {
  /** Days after the first automatic payment on which a declined one is repeated. */
  retryDays: readonly number[];
  /** Days after the due date on which the account is reminded. */
  reminderDays: readonly number[];
  /** Days after the due date of the oldest unpaid invoice on which the services of the account are suspended. */
  suspensionDays: number;
}

export const DEFAULT_TERMS: CollectionTerms = { retryDays: [3, 7, 14], reminderDays: [3, 10], suspensionDays: 30 };
