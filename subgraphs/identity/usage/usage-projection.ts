import { HOUR_MS } from '../../../kernel/values/days.ts';
import type { CallerLimits, LimitUsage } from './rate-limits.ts';
import { type RateLimitProjection, RiskLevel } from './usage.types.ts';

/** Minimum time over which the request rate is averaged, because the rate of a shorter time is not representative. */
const LEAST_ELAPSED_MS = 60_000;
const MEDIUM_FROM = 0.6;
const HIGH_FROM = 0.8;

/**
 * Projects the usage at the end of the hour, if requests continue at the average rate of the hour so far. Also returns
 * how high the risk is that the limit is reached.
 */
export function projectionOf({ hour, at, suspendedUntil }: Pick<CallerLimits, 'hour' | 'at' | 'suspendedUntil'>): RateLimitProjection {
  const endOfHour = projected(hour, at);
  return { endOfHour, riskLevel: suspendedUntil ? RiskLevel.CRITICAL : riskOf(endOfHour / hour.limit) };
}

function projected({ used, resetAt }: LimitUsage, at: Date): number {
  const leftMs = Math.max(0, resetAt.getTime() - at.getTime());
  const elapsedMs = Math.max(LEAST_ELAPSED_MS, HOUR_MS - leftMs);
  return Math.round(used + (used / elapsedMs) * Math.min(leftMs, HOUR_MS - LEAST_ELAPSED_MS));
}

function riskOf(share: number): RiskLevel {
  if (share >= 1) return RiskLevel.CRITICAL;
  if (share >= HIGH_FROM) return RiskLevel.HIGH;
  return share >= MEDIUM_FROM ? RiskLevel.MEDIUM : RiskLevel.LOW;
}
