import { randomUUID } from 'node:crypto';
import { Redis } from 'ioredis';
import { createLogger } from '../../kernel/log/log.ts';
import { createMetrics } from '../../kernel/metrics/metrics.ts';
import type { Counters } from '../../router/edge/counters.ts';
import { MemoryCounters } from '../../router/edge/memory-counters.ts';
import { RedisCounters } from '../../router/edge/redis-counters.ts';

interface Store {
  counters: Counters;
  close(): void;
}

/** The Redis server of the tests; undefined in `npm test`, which runs without Redis. */
export const redisUrl = process.env.TEST_REDIS_URL;

/** The counter stores to test: memory, and also Redis in `npm run test:services`. */
export const stores: [string, () => Promise<Store>][] = [['memory', async () => ({ counters: new MemoryCounters(), close: () => {} })]];
if (redisUrl) stores.push(['Redis', () => onRedis(redisUrl)]);

/** Creates the counters of one process. Processes with the same prefix share counters. */
export async function onRedis(url: string, keyPrefix = `test:${randomUUID()}:`): Promise<Store> {
  const redis = new Redis(url, { lazyConnect: true, keyPrefix });
  await redis.connect();
  return { counters: new RedisCounters(redis, createLogger({ level: 'silent' }), createMetrics()), close: () => redis.disconnect() };
}
