/** Result of one attempt. Either `status` or `error` is null. */
export interface Attempt {
  at: Date;
  durationMs: number;
  /** HTTP status of the response. */
  status: number | null;
  /** First 1 KiB of the response. */
  body: string | null;
  /** Why there was no response, in words for the webhook's owner. */
  error: string | null;
  retryAfterMs: number;
}

export const isSuccess = ({ status }: Pick<Attempt, 'status'>): boolean => status !== null && status >= 200 && status < 300;
