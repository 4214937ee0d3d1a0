/**
 * Result of one attempt to deliver an event. If the receiver responded, `error` is null. Otherwise `status` is null.
 */
export interface Attempt {
  at: Date;
  durationMs: number;
  /** HTTP status of the response. */
  status: number | null;
  /** First 1 KiB of the response. */
  body: string | null;
  /** Reason why there was no response, as shown to the owner of the webhook. */
  error: string | null;
  retryAfterMs: number;
}

export const isSuccess = ({ status }: Pick<Attempt, 'status'>): boolean => status !== null && status >= 200 && status < 300;
