import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { decodeTime } from 'ulid';
import { DAY_MS } from '../../../kernel/values/days.ts';
import { parseBandwidth } from '../coverage/bandwidth.ts';
import { AccessTechnology } from '../coverage/technology.ts';
import type {
  Applied,
  ApplyOrder,
  Observation,
  ObservedLink,
  ObservedService,
  Released,
  ReleaseOrder,
  ServiceProvider,
  ServiceSpec,
} from './service.provider.ts';
import { OrderRejected } from './service.provider.ts';

const BUILD_MS = 200;
/** Duration of an order with the word `SLOW`, in milliseconds. */
const SLOW_MS = 60_000;
const REALISTIC_MS = { least: 20_000, more: 40_000 };
const CHECK_SECONDS = 5;
const MEASURED_EVERY_MS = 60_000;

/** Latency that the word `SIM-DEGRADED` adds, in milliseconds. It is above the limit of a healthy line. */
const DEGRADED_LATENCY_MS = 150;
/** Utilization of a connection with the word `SIM-BUSY`, in percent. It is above the limit of a healthy line. */
const BUSY_PERCENT = 97;
/** Bandwidth of a service that is not sold by bandwidth. */
const DEFAULT_MBPS = 10;

interface Base {
  latencyMs: number;
  jitterMs: number;
  packetLoss: number;
}

/** Measurements of a line without traffic, by technology. */
const BASE: Record<AccessTechnology, Base> = {
  [AccessTechnology.FIBER]: { latencyMs: 4, jitterMs: 0.5, packetLoss: 0.005 },
  [AccessTechnology.CABLE]: { latencyMs: 14, jitterMs: 2.5, packetLoss: 0.03 },
  [AccessTechnology.FIXED_WIRELESS]: { latencyMs: 28, jitterMs: 6, packetLoss: 0.15 },
  [AccessTechnology.DSL]: { latencyMs: 32, jitterMs: 4, packetLoss: 0.05 },
};

/**
 * Speed of the simulation. `fast`: orders are completed within a second. `realistic`: orders take between 20 and 60 seconds, for
 * demonstrations.
 */
export type SimulatedPace = 'fast' | 'realistic';

export interface SimulatedOptions {
  /** Time that the provider takes to respond to an order, in milliseconds. */
  buildMs?: number;
  pace?: SimulatedPace;
}

/**
 * Simulates a network. Words in the name of a service or in an address make orders and releases fail, or change the
 * measurements; docs/providers.md lists these words.
 *
 * The provider stores nothing. The result of an order depends on the order and the time, and measurements depend on the
 * service and the current minute. So all processes get the same results, also after a restart. `release` does not check
 * whether the service exists.
 */
export class SimulatedProvider implements ServiceProvider {
  readonly name = 'simulated';
  readonly simulated = true;
  readonly #buildMs: number;
  readonly #pace: SimulatedPace;

  constructor({ buildMs = BUILD_MS, pace = 'fast' }: SimulatedOptions = {}) {
    this.#buildMs = buildMs;
    this.#pace = pace;
  }

  async apply({ orderId, serviceId, reference, name, spec: { places }, attempt }: ApplyOrder): Promise<Applied> {
    await delay(this.#buildMs);
    const text = [name, ...places.map(({ address }) => address)].join(' ');
    if (text.includes('FAIL-PERMANENT')) throw new OrderRejected('The simulated provider cannot build this (FAIL-PERMANENT).');
    if (reference && text.includes('FAIL-CHANGE')) throw new OrderRejected('The simulated provider cannot change this (FAIL-CHANGE).');
    if (text.includes('FAIL-ALWAYS') || (text.includes('FAIL-ONCE') && attempt === 1))
      throw new Error('The simulated provider has a failure.');
    return this.#inProgress(orderId, text) ?? { state: 'completed', reference: reference ?? `sim-${serviceId}` };
  }

  async release({ releaseId, name }: ReleaseOrder): Promise<Released> {
    await delay(this.#buildMs);
    if (name.includes('FAIL-RELEASE')) throw new OrderRejected('The simulated provider keeps this line (FAIL-RELEASE).');
    return this.#inProgress(releaseId, name) ?? { state: 'released' };
  }

  /**
   * Returns the state `in_progress` until the simulated duration of an order has passed, and null after that. The duration
   * starts at the time that the id of the order contains, so nothing is stored.
   */
  #inProgress(orderId: string, text: string): { state: 'in_progress'; checkAfterSeconds: number } | null {
    const [, ulid = ''] = /_([0-9A-HJKMNP-TV-Z]{26})$/.exec(orderId) ?? [];
    if (ulid === '') return null;
    const [share] = fractions(orderId);
    const takesMs = text.includes('SLOW') ? SLOW_MS : this.#pace === 'fast' ? 0 : REALISTIC_MS.least + share * REALISTIC_MS.more;
    const remainingMs = decodeTime(ulid) + takesMs - Date.now();
    if (remainingMs <= 0) return null;
    return { state: 'in_progress', checkAfterSeconds: Math.min(CHECK_SECONDS, Math.ceil(remainingMs / 1000)) };
  }

  async observe({ serviceId, name, spec, previous }: ObservedService, now: Date): Promise<Observation | null> {
    if (name.includes('SIM-SILENT')) return null;
    const measuredAt = new Date(Math.floor(now.getTime() / MEASURED_EVERY_MS) * MEASURED_EVERY_MS);
    const sites = spec.places.filter(({ id }) => id !== null);
    const base = BASE[spec.serviceType as AccessTechnology] ?? BASE[AccessTechnology.FIBER];
    const links = (sites.length > 0 ? sites : [null]).map((site) =>
      linkOf(`${serviceId} ${site?.id ?? ''}`, base, `${name} ${site?.address ?? ''}`, site?.id ?? null, measuredAt),
    );
    const transferredBytes = previous && bytesBetween(spec, links, previous.measuredAt, measuredAt);
    return { measuredAt, links, transferredBytes, counter: null };
  }
}

/** Returns simulated measurements of one connection at `measuredAt`. Words in `text` produce faults (docs/providers.md). */
function linkOf(key: string, base: Base, text: string, siteId: string | null, measuredAt: Date): ObservedLink {
  const securityIncidents = text.includes('SIM-INCIDENT') ? 1 : 0;
  if (text.includes('SIM-DOWN'))
    return { siteId, isUp: false, latencyMs: null, bandwidthUtilization: null, packetLoss: 100, jitterMs: null, securityIncidents };
  const [one, two, three, four] = fractions(`${key} ${measuredAt.toISOString()}`);
  const busy = businessDay(measuredAt);
  const slow = text.includes('SIM-DEGRADED') ? DEGRADED_LATENCY_MS : 0;
  return {
    siteId,
    isUp: true,
    latencyMs: rounded(slow + base.latencyMs * (1 + 0.3 * busy + 0.2 * one), 1),
    bandwidthUtilization: text.includes('SIM-BUSY') ? BUSY_PERCENT : rounded(8 + 50 * busy + 12 * two, 1),
    packetLoss: rounded(base.packetLoss * (0.5 + three), 3),
    jitterMs: rounded(base.jitterMs * (0.8 + 0.4 * four), 1),
    securityIncidents,
  };
}

/**
 * Returns the simulated number of bytes that a service transferred from `from` to `to`: the bandwidth of the connections
 * that are up at `to`, times the duration, times the average utilization. The average utilization depends only on the
 * times of day, or is constant for SIM-BUSY, between `from` and `to`. So frequent and rare observations report the same traffic in total.
 */
function bytesBetween({ characteristics: { bandwidth } }: ServiceSpec, links: readonly ObservedLink[], from: Date, to: Date): number {
  const mbps = (typeof bandwidth === 'string' && parseBandwidth(bandwidth)) || DEFAULT_MBPS;
  const seconds = Math.max(0, to.getTime() - from.getTime()) / 1000;
  const busyDays = busyUntil(to) - busyUntil(from);
  const usual = 14 * seconds + (50 * busyDays * DAY_MS) / 1000;
  const percentSeconds = links.map(({ isUp, bandwidthUtilization }) =>
    isUp ? (bandwidthUtilization === BUSY_PERCENT ? BUSY_PERCENT * seconds : usual) : 0,
  );
  const total = percentSeconds.reduce((sum, one) => sum + one, 0);
  return Math.round(((mbps * 1_000_000) / 8) * (total / 100));
}

/** Derives four numbers between 0 and 1 from a text. The result for a text is always the same. */
function fractions(text: string): [number, number, number, number] {
  const digest = createHash('sha256').update(text).digest();
  const at = (offset: number): number => digest.readUInt32BE(offset) / 0xffffffff;
  return [at(0), at(4), at(8), at(12)];
}

/**
 * Returns the simulated load at a time of day in US Eastern Standard Time: from 0 at night to 1 in the early afternoon.
 */
function businessDay(moment: Date): number {
  const hour = ((moment.getTime() % DAY_MS) / DAY_MS) * 24 - 5;
  return (1 - Math.cos(((hour - 2) / 24) * 2 * Math.PI)) / 2;
}

/** Returns the integral of `businessDay` from 1970 to a moment, in days. */
function busyUntil(moment: Date): number {
  const days = moment.getTime() / DAY_MS;
  const phase = (days - 7 / 24) * 2 * Math.PI;
  return days / 2 - Math.sin(phase) / (4 * Math.PI);
}

const rounded = (value: number, digits: number): number => Number(value.toFixed(digits));
