/**
 * Days after which an open invoice is charged again, days after which the account is reminded, and days after which its services are
 * suspended.
 */
export interface CollectionTerms {
  /** Numbers of days after the first automatic payment. On each of these days, a declined payment is retried. */
  retryDays: readonly number[];
  /** Numbers of days after the due date. On each of these days, the account is reminded. */
  reminderDays: readonly number[];
  /** Number of days after the due date of the oldest unpaid invoice. After this time, the services of the account are suspended. */
  suspensionDays: number;
}

export const DEFAULT_TERMS: CollectionTerms = { retryDays: [3, 7, 14], reminderDays: [3, 10], suspensionDays: 30 };
