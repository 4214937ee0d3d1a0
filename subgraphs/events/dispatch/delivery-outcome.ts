import { retryAt } from '../../../kernel/outbound/backoff.ts';
import { type Attempt, isSuccess } from '../deliveries/attempt.ts';
import { DeliveryStatus } from '../deliveries/delivery.entity.ts';
import { pauseAfter } from './delivery-schedule.ts';

const GONE = 410;
/** How long all attempts must fail until a webhook is disabled. */
const FAILING_MAX_MS = 5 * 24 * 60 * 60_000;

/** Why the platform disabled a webhook. */
export type DisabledReason = 'gone' | 'failing';

/** Effect of an attempt on its delivery. */
export interface Outcome {
  status: DeliveryStatus;
  nextAttemptAt: Date | null;
}

export function outcomeOf(attempt: Attempt, made: number, now: Date): Outcome {
  if (isSuccess(attempt)) return { status: DeliveryStatus.DELIVERED, nextAttemptAt: null };
  const pauseMs = isGone(attempt) ? undefined : pauseAfter(made);
  if (pauseMs === undefined) return { status: DeliveryStatus.EXHAUSTED, nextAttemptAt: null };
  return { status: DeliveryStatus.FAILED, nextAttemptAt: retryAt(now, pauseMs, attempt.retryAfterMs) };
}

/** Whether the receiver wants no more deliveries. */
export const isGone = ({ status }: Attempt): boolean => status === GONE;

/**
 * Returns why a webhook must be disabled after an attempt; undefined if it need not be. `failingSince` is when its attempts began
 * to fail, or null.
 */
export function reasonToDisable(attempt: Attempt, failingSince: Date | null): DisabledReason | undefined {
  if (isGone(attempt)) return 'gone';
  if (isSuccess(attempt) || !failingSince) return undefined;
  return attempt.at.getTime() - failingSince.getTime() >= FAILING_MAX_MS ? 'failing' : undefined;
}
