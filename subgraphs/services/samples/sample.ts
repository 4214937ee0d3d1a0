import { registerEnumType } from 'type-graphql';
import { MINUTE_MS } from '../../../kernel/values/days.ts';

/** State of a service or of one of its sites at the time of a measurement. */
export enum SampleState {
  UP = 'up',
  DEGRADED = 'degraded',
  DOWN = 'down',
}
registerEnumType(SampleState, {
  name: 'MeasuredState',
  description: 'State of a service or of one of its sites when it was measured.',
  valuesConfig: {
    UP: { description: 'Working, with all measurements within their limits.' },
    DEGRADED: { description: 'Working, but a measurement is beyond its limit, or a site does not work.' },
    DOWN: { description: 'Not working, or half of the packets or more are lost.' },
  },
});

/** Maximum age of samples that show the present state of a service. */
export const RECENT_MS = 5 * MINUTE_MS;

/** The measurements of a service or of one of its sites. A value is null if it was not measured. */
export interface Measurements {
  latencyMs: number | null;
  /** Used bandwidth, in percent of the bandwidth of the connection. */
  bandwidthUtilization: number | null;
  /** Lost packets, in percent of all packets. */
  packetLoss: number | null;
  jitterMs: number | null;
}
export type Metric = keyof Measurements;
export const METRICS: readonly Metric[] = ['latencyMs', 'bandwidthUtilization', 'packetLoss', 'jitterMs'];

/** The measurements of a service, or of one of its sites, at one time. */
export interface Sample extends Measurements {
  serviceId: string;
  /** Id of the site. Empty for the service as a whole. */
  siteId: string;
  at: Date;
  state: SampleState;
  securityIncidents: number;
  /** Bytes that the service has transferred since its previous sample. Null for a site, or if the number is unknown. */
  transferredBytes: number | null;
}

/**
 * Limits of each measurement. Above the first limit, a connection and its health check are degraded. Above the second limit, the health
 * check is unhealthy.
 */
export const LIMITS: Readonly<Record<Metric, readonly [number, number]>> = {
  latencyMs: [100, 300],
  packetLoss: [1, 5],
  jitterMs: [30, 100],
  bandwidthUtilization: [95, 100],
};

/** Packet loss, in percent, from which a connection counts as down. */
const LOST = 50;

/** Returns true if a measurement is above one of its limits. */
export const exceeds = (values: Measurements, metric: Metric, limit: 0 | 1 = 0): boolean => (values[metric] ?? 0) > LIMITS[metric][limit];

/** Returns the state of one connection from its measurements. */
export function stateOf(link: Measurements & { isUp: boolean }): SampleState {
  if (!link.isUp || (link.packetLoss ?? 0) >= LOST) return SampleState.DOWN;
  return METRICS.some((metric) => exceeds(link, metric)) ? SampleState.DEGRADED : SampleState.UP;
}
