import { Decimal } from '../values/money.ts';
import type { Plan } from './principal.ts';

/** The limits of a plan (specification 8.1). A value of `Infinity` means that there is no limit. */
export interface PlanTerms {
  readonly perHour: number;
  /** Maximum number of requests in any period of 60 seconds. */
  readonly burst: number;
  /** Maximum number of requests that run at the same time. */
  readonly concurrent: number;
  readonly includedPerMonth: number;
  /** Price of each request beyond `includedPerMonth`; null if the contract defines it. */
  readonly overagePrice: Decimal | null;
  /** Maximum number of events that are delivered to webhooks in one month (specification 8.1, 8.5). */
  readonly webhookDeliveriesPerMonth: number;
  /**
   * Maximum number of open live connections (WebSocket, server-sent events). The same number is the limit for the total of subscriptions on
   * these connections.
   */
  readonly liveConnections: number;
  readonly liveSubscriptions: number;
  /** Maximum number of usage events of services in any period of 60 seconds. */
  readonly usageEventsPerMinute: number;
  /** Maximum number of metric samples in any period of 60 seconds. */
  readonly samplesPerMinute: number;
  /** Maximum number of active metric series. A series is active if it has a sample in the last 24 hours. */
  readonly activeSeries: number;
  /** Maximum number of log entries that clients send in any period of 60 seconds. */
  readonly logEntriesPerMinute: number;
  /** Maximum number of alerts of an organization. */
  readonly alerts: number;
}

/** The currency of `overagePrice`. */
export const PLAN_CURRENCY = 'USD';

const UNLIMITED = Number.POSITIVE_INFINITY;

export const PLANS: Readonly<Record<Plan, PlanTerms>> = {
  developer: {
    perHour: 1_000,
    burst: 100,
    concurrent: 10,
    includedPerMonth: 50_000,
    overagePrice: new Decimal('0.001'),
    webhookDeliveriesPerMonth: 100,
    liveConnections: 10,
    liveSubscriptions: 100,
    usageEventsPerMinute: 10_000,
    samplesPerMinute: 10_000,
    activeSeries: 1_000,
    logEntriesPerMinute: 1_000,
    alerts: 20,
  },
  business: {
    perHour: 10_000,
    burst: 500,
    concurrent: 50,
    includedPerMonth: 500_000,
    overagePrice: new Decimal('0.0008'),
    webhookDeliveriesPerMonth: 1_000,
    liveConnections: 200,
    liveSubscriptions: 2_000,
    usageEventsPerMinute: 100_000,
    samplesPerMinute: 100_000,
    activeSeries: 20_000,
    logEntriesPerMinute: 10_000,
    alerts: 200,
  },
  enterprise: {
    perHour: 100_000,
    burst: 2_000,
    concurrent: 200,
    includedPerMonth: 5_000_000,
    overagePrice: new Decimal('0.0005'),
    webhookDeliveriesPerMonth: UNLIMITED,
    liveConnections: 2_000,
    liveSubscriptions: 20_000,
    usageEventsPerMinute: 1_000_000,
    samplesPerMinute: 1_200_000,
    activeSeries: 200_000,
    logEntriesPerMinute: 120_000,
    alerts: 1_000,
  },
  custom: {
    perHour: UNLIMITED,
    burst: UNLIMITED,
    concurrent: UNLIMITED,
    includedPerMonth: UNLIMITED,
    overagePrice: null,
    webhookDeliveriesPerMonth: UNLIMITED,
    liveConnections: UNLIMITED,
    liveSubscriptions: UNLIMITED,
    usageEventsPerMinute: UNLIMITED,
    samplesPerMinute: UNLIMITED,
    activeSeries: UNLIMITED,
    logEntriesPerMinute: UNLIMITED,
    alerts: 1_000,
  },
};
