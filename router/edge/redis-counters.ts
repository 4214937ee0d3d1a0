import type { Redis, Result } from 'ioredis';
import type { Logger } from '../../kernel/log/log.ts';
import type { Metrics } from '../../kernel/metrics/metrics.ts';
import type { Charge, Charged, Counters, WindowCharge } from './counters.ts';
import { MemoryCounters } from './memory-counters.ts';
import { CHARGE } from './redis-scripts.ts';
import { LEASE_MS, RedisSlots } from './redis-slots.ts';

declare module 'ioredis' {
  interface RedisCommander<Context> {
    charge(keyCount: number, ...keysAndArguments: (string | number)[]): Result<number[], Context>;
  }
}

/** Lifetime of a place in the queue. The waiting process renews its place repeatedly. */
const PLACE_MS = 500;
const UNUSED = 'rate:unused';

/**
 * Usage counters in Redis, which several processes share. A request needs one round trip for its windows, its
 * suspension and its slot.
 * While Redis is unreachable, each process counts separately.
 */
export class RedisCounters implements Counters {
  readonly #alone = new MemoryCounters();
  readonly #slots: RedisSlots;
  #isUp = true;

  constructor(
    private readonly redis: Redis,
    private readonly log: Logger,
    private readonly metrics: Metrics,
  ) {
    redis.defineCommand('charge', { lua: CHARGE });
    this.#slots = new RedisSlots(redis, log);
    metrics.rateLimitStoreUp.set(1);
  }

  async charge(charge: Charge, nowMs: number): Promise<Charged> {
    if (this.redis.status !== 'ready') return this.#chargeAlone(charge, nowMs, this.redis.status);
    const { slot } = charge;
    if (slot) this.#slots.asking(slot.key);
    try {
      const answer = await this.redis.charge(charge.windows.length + 2, ...keysOf(charge), nowMs, ...this.#argumentsOf(charge));
      this.#report(true);
      const isTaken = answer[2] === 1;
      if (slot) this.#slots.answered(slot.key, isTaken);
      return { ...read(answer, charge.windows.length), slot: isTaken ? this.#slots : undefined };
    } catch (error) {
      if (slot) this.#slots.answered(slot.key, false);
      return this.#chargeAlone(charge, nowMs, error);
    }
  }

  #argumentsOf({ windows, suspension, slot }: Charge): (string | number)[] {
    const { limit = -1, rank = 0, isWaiting = false } = slot ?? {};
    const ofSlot = [limit, this.#slots.process, rank, isWaiting ? 1 : 0, LEASE_MS, PLACE_MS];
    return [suspension?.forMs ?? 0, ...ofSlot, ...windows.flatMap(argumentsOfWindow)];
  }

  /**
   * Counts in the memory of this process while Redis is unreachable. Allowing every request or rejecting every request
   * could cause another outage.
   */
  #chargeAlone(charge: Charge, nowMs: number, reason: unknown): Charged {
    this.#report(false, reason);
    return this.#alone.charge(charge, nowMs);
  }

  #report(isUp: boolean, reason?: unknown): void {
    if (isUp === this.#isUp) return;
    this.#isUp = isUp;
    this.metrics.rateLimitStoreUp.set(isUp ? 1 : 0);
    if (isUp) this.log.info('Redis is reachable again: all processes share rate limits');
    else
      this.log.warn(
        { reason: reason instanceof Error ? reason.message : reason },
        'Redis is unreachable: this process counts rate limits by itself',
      );
  }
}

/**
 * Returns the keys of a charge for the script. All keys have the same text in braces, so that they are in one hash slot
 * of a Redis Cluster.
 * If a charge has no suspension or no slot, another key of the charge is passed at this position, and the script
 * ignores it.
 */
function keysOf({ windows, suspension, slot }: Charge): string[] {
  const named = windows[0]?.key ?? suspension?.key ?? slot?.key ?? UNUSED;
  return [...windows.map(({ key }) => key), suspension?.key ?? named, slot?.key ?? named];
}

const argumentsOfWindow = ({ amount, limit, windowMs, isSliding, isHard, countsRefused }: WindowCharge): number[] => [
  amount,
  Number.isFinite(limit) ? limit : -1,
  windowMs,
  ...[isSliding, isHard, countsRefused].map((flag) => (flag ? 1 : 0)),
];

function read([refused = -1, suspendedUntil = 0, , slotsUsed = 0, ...numbers]: number[], length: number): Omit<Charged, 'slot'> {
  const counts = Array.from({ length }, (_, index) => ({ used: numbers[2 * index] ?? 0, resetAt: numbers[2 * index + 1] ?? 0 }));
  return { counts, refused: refused < 0 ? undefined : refused, suspendedUntil: suspendedUntil || undefined, slotsUsed };
}
