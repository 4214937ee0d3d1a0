import { randomUUID } from 'node:crypto';
import type { Redis, Result } from 'ioredis';
import type { Logger } from '../../kernel/log/log.ts';
import type { SlotHolder } from './counters.ts';
import { RELEASE, RENEW } from './redis-scripts.ts';

declare module 'ioredis' {
  interface RedisCommander<Context> {
    releaseSlot(key: string, process: string): Result<null, Context>;
    renewSlots(key: string, process: string, leaseMs: number, held: number): Result<null, Context>;
  }
}

/** Duration of a lease. The slots of a killed process stay taken until its lease ends. */
export const LEASE_MS = 5_000;
const RENEW_EVERY_MS = 1_500;

interface Held {
  count: number;
  /**
   * Number of claims that were sent to Redis and have no response yet. Redis may already count a slot for a claim without a response, but
   * `count` does not.
   */
  asking: number;
}

/**
 * The concurrency slots that this process holds in Redis. For each organization, the process has a lease and renews it
 * while slots are in use.
 * Each renewal sends the number of slots, so that a lost update is corrected.
 */
export class RedisSlots implements SlotHolder {
  readonly process = randomUUID();
  readonly #held = new Map<string, Held>();
  #renewing: NodeJS.Timeout | undefined;

  constructor(
    private readonly redis: Redis,
    private readonly log: Logger,
  ) {
    redis.defineCommand('releaseSlot', { lua: RELEASE, numberOfKeys: 1 });
    redis.defineCommand('renewSlots', { lua: RENEW, numberOfKeys: 1 });
  }

  asking(key: string): void {
    const held = this.#held.get(key);
    if (held) held.asking += 1;
    else this.#held.set(key, { count: 0, asking: 1 });
  }

  answered(key: string, isTaken: boolean): void {
    const held = this.#held.get(key);
    if (!held) return;
    held.asking -= 1;
    if (isTaken) held.count += 1;
    this.#settle(key, held);
  }

  /**
   * Releases a slot without waiting for the response. Redis processes commands of a connection in order, so later
   * commands find the slot free.
   */
  release(key: string): void {
    const held = this.#held.get(key);
    if (!held) return;
    held.count -= 1;
    this.#settle(key, held);
    if (this.redis.status === 'ready') this.redis.releaseSlot(key, this.process).catch((error: unknown) => this.#lost(error));
  }

  #settle(key: string, { count, asking }: Held): void {
    if (count === 0 && asking === 0) this.#held.delete(key);
    else this.#renewing ??= setInterval(() => this.#renew(), RENEW_EVERY_MS).unref();
  }

  #renew(): void {
    if (this.#held.size === 0 || this.redis.status === 'end') {
      clearInterval(this.#renewing);
      this.#renewing = undefined;
    }
    if (this.redis.status !== 'ready') return;
    for (const [key, { count, asking }] of this.#held) {
      if (count === 0) continue;
      this.redis.renewSlots(key, this.process, LEASE_MS, asking > 0 ? -1 : count).catch((error: unknown) => this.#lost(error));
    }
  }

  #lost(error: unknown): void {
    this.log.debug({ err: error }, 'A slot in Redis could not be released or renewed');
  }
}
