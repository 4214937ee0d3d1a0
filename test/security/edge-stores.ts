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

/** Where counters are kept: in memory, and in `npm run test:services` in Redis too. */
export const stores: [string, () => Promise<Store>][] = [['memory', async () => ({ counters: new MemoryCounters(), close: () => {} })]];
if (redisUrl) stores.push(['Redis', () => onRedis(redisUrl)]);

/** Counters as a process of its own has them; apart from those of others, who call from the same address, unless they share the prefix. */
export async function onRedis(url: string, keyPrefix = `test:${randomUUID()}:`): Promise<Store> {
  const redis = new Redis(url, { lazyConnect: true, keyPrefix });
  await redis.connect();
  return { counters: new RedisCounters(redis, createLogger({ level: 'silent' }), createMetrics()), close: () => redis.disconnect() };
}
