/** What came of one attempt. Exactly one of `status` and `error` is null. */
export interface Attempt {
  at: Date;
  durationMs: number;
  /** The HTTP status of the answer. */
  status: number | null;
  /** The first KiB of the answer. */
  body: string | null;
  /** Why there was no answer, in words for the webhook's owner. */
  error: string | null;
  retryAfterMs: number;
}

export const isSuccess = ({ status }: Pick<Attempt, 'status'>): boolean => status !== null && status >= 200 && status < 300;
