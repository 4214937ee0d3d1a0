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

/** Undefined in `npm test`. */
export const redisUrl = process.env.TEST_REDIS_URL;

/** Stores of counters: memory, and also Redis in `npm run test:services`. */
export const stores: [string, () => Promise<Store>][] = [['memory', async () => ({ counters: new MemoryCounters(), close: () => {} })]];
if (redisUrl) stores.push(['Redis', () => onRedis(redisUrl)]);

/** Counters of one process, separate from those of other processes unless they share the prefix. */
export async function onRedis(url: string, keyPrefix = `test:${randomUUID()}:`): Promise<Store> {
  const redis = new Redis(url, { lazyConnect: true, keyPrefix });
  await redis.connect();
  return { counters: new RedisCounters(redis, createLogger({ level: 'silent' }), createMetrics()), close: () => redis.disconnect() };
}
