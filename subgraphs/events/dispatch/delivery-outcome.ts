import { retryAt } from '../../../kernel/outbound/backoff.ts';
import { type Attempt, isSuccess } from '../deliveries/attempt.ts';
import { DeliveryStatus } from '../deliveries/delivery.entity.ts';
import { pauseAfter } from './delivery-schedule.ts';

const GONE = 410;
/**
 * Time after the first failed attempt at which a further failed attempt disables the webhook. A success in between starts the time again.
 */
const FAILING_MAX_MS = 5 * 24 * 60 * 60_000;

/** Reason why the platform disabled a webhook. */
export type DisabledReason = 'gone' | 'failing';

/** Status of a delivery after an attempt, and the time of the next attempt. */
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

/** Returns whether the response says that the receiver accepts no more deliveries (410 Gone). */
export const isGone = ({ status }: Attempt): boolean => status === GONE;

/**
 * Returns the reason to disable a webhook after an attempt; undefined if there is no reason. `failingSince` is the time
 * of the first failed attempt after the last successful one, or null.
 */
export function reasonToDisable(attempt: Attempt, failingSince: Date | null): DisabledReason | undefined {
  if (isGone(attempt)) return 'gone';
  if (isSuccess(attempt) || !failingSince) return undefined;
  return attempt.at.getTime() - failingSince.getTime() >= FAILING_MAX_MS ? 'failing' : undefined;
}
