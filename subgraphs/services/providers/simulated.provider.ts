import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { DAY_MS } from '../../../kernel/values/days.ts';
import { AccessTechnology } from '../coverage/technology.ts';
import type {
  ConnectivityLine,
  ConnectivityOrder,
  ConnectivityProvider,
  Provisioning,
  Release,
  ReleaseOrder,
  Telemetry,
} from './connectivity.provider.ts';
import { ProvisioningRejected } from './connectivity.provider.ts';

const BUILD_MS = 200;
const MEASURED_EVERY_MS = 60_000;

/** Measurements of a line without traffic, by technology. */
const BASE: Record<AccessTechnology, { latencyMs: number; jitterMs: number; packetLoss: number }> = {
  [AccessTechnology.FIBER]: { latencyMs: 4, jitterMs: 0.5, packetLoss: 0.005 },
  [AccessTechnology.CABLE]: { latencyMs: 14, jitterMs: 2.5, packetLoss: 0.03 },
  [AccessTechnology.FIXED_WIRELESS]: { latencyMs: 28, jitterMs: 6, packetLoss: 0.15 },
  [AccessTechnology.DSL]: { latencyMs: 32, jitterMs: 4, packetLoss: 0.05 },
};

export interface SimulatedConnectivityOptions {
  /** Simulated time to build a line, in milliseconds. */
  buildMs?: number;
}

/**
 * Simulates a network. Measurements are computed from the service id and the current minute, so a line has the same
 * values for a whole minute. Words in the address make an order fail: `FAIL-PERMANENT`, `FAIL-ONCE` and `FAIL-ALWAYS`.
 * The word `FAIL-RELEASE` in the name makes a release fail (docs/providers.md).
 */
export class SimulatedConnectivityProvider implements ConnectivityProvider {
  readonly name = 'simulated';
  readonly simulated = true;
  readonly #buildMs: number;

  constructor({ buildMs = BUILD_MS }: SimulatedConnectivityOptions = {}) {
    this.#buildMs = buildMs;
  }

  async provision({ serviceId, location: { address }, attempt }: ConnectivityOrder): Promise<Provisioning> {
    await delay(this.#buildMs);
    if (address.includes('FAIL-PERMANENT'))
      throw new ProvisioningRejected('The simulated provider cannot build at this address (FAIL-PERMANENT).');
    if (address.includes('FAIL-ALWAYS') || (address.includes('FAIL-ONCE') && attempt === 1))
      throw new Error('The simulated provider has a failure.');
    return { state: 'completed', reference: `sim-${serviceId}` };
  }

  async release({ name }: ReleaseOrder): Promise<Release> {
    await delay(this.#buildMs);
    if (name.includes('FAIL-RELEASE')) throw new ProvisioningRejected('The simulated provider keeps this line (FAIL-RELEASE).');
    return { state: 'released' };
  }

  telemetry({ serviceId, technology }: ConnectivityLine, now: Date): Promise<Telemetry> {
    const measuredAt = new Date(Math.floor(now.getTime() / MEASURED_EVERY_MS) * MEASURED_EVERY_MS);
    const { latencyMs, jitterMs, packetLoss } = BASE[technology as AccessTechnology] ?? BASE[AccessTechnology.FIBER];
    const [one, two, three, four] = fractions(`${serviceId} ${measuredAt.toISOString()}`);
    const busy = businessDay(measuredAt);
    return Promise.resolve({
      latencyMs: rounded(latencyMs * (1 + 0.3 * busy + 0.2 * one), 1),
      bandwidthUtilization: rounded(8 + 50 * busy + 12 * two, 1),
      packetLoss: rounded(packetLoss * (0.5 + three), 3),
      jitterMs: rounded(jitterMs * (0.8 + 0.4 * four), 1),
      securityIncidents: 0,
      measuredAt,
    });
  }
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

const rounded = (value: number, digits: number): number => Number(value.toFixed(digits));
