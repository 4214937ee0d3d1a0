import { randomUUID } from 'node:crypto';
import { Redis } from 'ioredis';
import { afterEach, describe, expect, test } from 'vitest';
import type { Principal } from '../../kernel/access/principal.ts';
import { createLogger } from '../../kernel/log/log.ts';
import { createMetrics } from '../../kernel/metrics/metrics.ts';
import { RedisCounters } from '../../router/edge/redis-counters.ts';
import { eventually } from '../rig.ts';
import { Line } from '../support/line.ts';
import { createEdgeRig, type EdgeRig } from './edge-rig.ts';
import { onRedis, redisUrl } from './edge-stores.ts';

const SLOTS = 10;

describe.runIf(redisUrl)('two processes on one Redis', () => {
  const ends: (() => Promise<unknown>)[] = [];
  const keyPrefix = `test:${randomUUID()}:`;
  afterEach(async () => {
    for (const end of ends.splice(0)) await end();
  });

  /** A process on the shared Redis; `kill` closes its Redis connection as if the process were killed. */
  async function startProcess(): Promise<EdgeRig & { kill(): void }> {
    const { counters, close } = await onRedis(redisUrl as string, keyPrefix);
    const rig = createEdgeRig({ counters });
    ends.push(async () => {
      for (const end of rig.held.values()) end();
      await rig.app.close();
      close();
    });
    return { ...rig, kill: close };
  }

  async function startTwo() {
    const [first, second] = [await startProcess(), await startProcess()];
    const { key, principal } = first.addKey('developer');
    second.acceptKey(key, principal);
    const ask = (rig: EdgeRig, url: string) => rig.app.inject({ url, headers: { 'x-api-key': key } });
    return { first, second, principal, ask, key };
  }

  const held = async (rig: EdgeRig, principal: Principal) => (await rig.edge.usageOf({ principal })).concurrency.used;

  test('all processes count requests against the same rate limit', async () => {
    const { first, second, ask } = await startTwo();
    for (let left = 999; left > 990; left -= 2) {
      expect((await ask(first, '/things/1')).headers['x-ratelimit-remaining']).toBe(String(left));
      expect((await ask(second, '/things/1')).headers['x-ratelimit-remaining']).toBe(String(left - 1));
    }
  });

  test('a key suspended by one process is rejected with KEY_SUSPENDED by another process', async () => {
    const { first, second, ask, key } = await startTwo();
    const graph = { method: 'POST', url: '/graph', headers: { 'x-api-key': key }, payload: { weight: 60 } } as const;
    expect((await first.app.inject(graph)).statusCode).toBe(200);
    expect((await second.app.inject(graph)).statusCode).toBe(429);
    expect((await ask(first, '/things/1')).json().error.code).toBe('KEY_SUSPENDED');
  });

  test('processes share concurrency slots, and a free slot goes to the request with the highest priority in any process', async () => {
    const { first, second, principal, ask } = await startTwo();
    for (let n = 0; n < SLOTS; n++) void ask(first, `/held/normal/held${n}`);
    await eventually(async () => (await held(second, principal)) === SLOTS);
    void ask(first, '/held/low/low');
    await eventually(async () => (await first.edge.usageOf({ principal })).concurrency.waiting === 1);
    void ask(second, '/held/critical/critical');
    await eventually(async () => (await second.edge.usageOf({ principal })).concurrency.waiting === 1);
    // wait until Redis contains both waiting requests
    await eventually(async () => (await waitersIn(principal)) === 2);

    first.held.get('held0')?.();
    await eventually(() => second.held.has('critical'));
    expect(first.held.has('low')).toBe(false);
    first.held.get('held1')?.();
    await eventually(() => first.held.has('low'));
    expect(await held(second, principal)).toBe(SLOTS);
  });

  async function waitersIn({ organizationId }: Principal): Promise<number> {
    const redis = new Redis(redisUrl as string, { keyPrefix });
    const fields = await redis.hkeys(`rate:{${organizationId}}:slots`);
    redis.disconnect();
    return fields.filter((field) => field.startsWith('w:')).length;
  }

  test('the concurrency slots of a killed process are freed within seconds, and a running process keeps its slots', async () => {
    const { first, second, principal, ask } = await startTwo();
    for (let n = 0; n < SLOTS - 1; n++) void ask(first, `/held/normal/held${n}`);
    void ask(second, '/held/normal/mine');
    await eventually(async () => (await held(second, principal)) === SLOTS);
    first.kill();
    await eventually(async () => (await held(second, principal)) === 1);
    expect(second.held.has('mine')).toBe(true);
  });
});

describe.runIf(redisUrl)('Redis failure', () => {
  test('while Redis is unavailable, each process counts only its own requests, logs the failure and sets rate_limit_store_up to 0', async () => {
    const logged: string[] = [];
    const log = createLogger({ level: 'info', destination: { write: (line: string) => void logged.push(line) } });
    const metrics = createMetrics();
    await using line = await Line.to(redisUrl as string);
    const redis = new Redis(line.url, {
      keyPrefix: `test:${randomUUID()}:`,
      enableOfflineQueue: false,
      maxRetriesPerRequest: 0,
      retryStrategy: () => 20,
    });
    redis.on('error', () => {});
    await eventually(() => redis.status === 'ready');
    const rig = createEdgeRig({ counters: new RedisCounters(redis, log, metrics) });
    const { key } = rig.addKey('developer', { limits: { burst: 3 } });
    const ask = () => rig.app.inject({ url: '/things/1', headers: { 'x-api-key': key } });
    for (let count = 0; count < 2; count++) expect((await ask()).statusCode).toBe(200);
    expect(await metrics.text()).toContain('rate_limit_store_up 1');

    await line.cut();
    for (const status of [200, 200, 200, 429, 403]) expect((await ask()).statusCode).toBe(status);
    expect(logged.filter((one) => one.includes('Redis is unreachable'))).toHaveLength(1);
    expect(await metrics.text()).toContain('rate_limit_store_up 0');

    await line.restore();
    await eventually(() => redis.status === 'ready');
    expect((await ask()).headers['x-ratelimit-burst-remaining']).toBe('0');
    expect(logged.filter((one) => one.includes('Redis is reachable again'))).toHaveLength(1);
    expect(await metrics.text()).toContain('rate_limit_store_up 1');
    await rig.app.close();
    redis.disconnect();
  });
});
