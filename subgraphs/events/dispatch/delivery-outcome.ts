import { retryAt } from '../../../kernel/outbound/backoff.ts';
import { type Attempt, isSuccess } from '../deliveries/attempt.ts';
import { DeliveryStatus } from '../deliveries/delivery.entity.ts';
import { pauseAfter } from './delivery-schedule.ts';

const GONE = 410;
/** A webhook of which every attempt failed for so long is disabled. */
const FAILING_MAX_MS = 5 * 24 * 60 * 60_000;

/** Why the platform stops delivering to a webhook. */
export type DisabledReason = 'gone' | 'failing';

/** What an attempt means for its delivery. */
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

/** The receiver wants nothing more. */
export const isGone = ({ status }: Attempt): boolean => status === GONE;

/** Why an attempt is the last that a webhook gets, of which every attempt has failed since an instant (null: it has not). */
export function reasonToDisable(attempt: Attempt, failingSince: Date | null): DisabledReason | undefined {
  if (isGone(attempt)) return 'gone';
  if (isSuccess(attempt) || !failingSince) return undefined;
  return attempt.at.getTime() - failingSince.getTime() >= FAILING_MAX_MS ? 'failing' : undefined;
}
