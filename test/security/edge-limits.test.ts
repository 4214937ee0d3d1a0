import { Redis } from 'ioredis';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createLogger } from '../../kernel/log/log.ts';
import { createMetrics } from '../../kernel/metrics/metrics.ts';
import { MemoryCounters } from '../../router/edge/memory-counters.ts';
import { RedisCounters } from '../../router/edge/redis-counters.ts';
import { createEdgeRig, type EdgeRig } from './edge-rig.ts';
import { stores } from './edge-stores.ts';

describe.each(stores)('rate limits stored in %s', (_, open) => {
  let rig: EdgeRig;
  let close: () => void;
  beforeEach(async () => {
    const store = await open();
    close = store.close;
    rig = createEdgeRig({ counters: store.counters });
  });
  afterEach(async () => {
    await rig.app.close();
    close();
  });

  const send = (key: string, method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'DELETE' = 'GET', url = '/things/1', body?: object) =>
    rig.app.inject({ method, url, headers: { 'x-api-key': key }, ...(body && { payload: body }) });
  const remaining = async (key: string) => Number((await send(key, 'GET', '/free')).headers['x-ratelimit-remaining']);

  test('every response has X-RateLimit headers with the limit of the plan, the remaining requests and the reset time', async () => {
    const { key } = rig.addKey('developer');
    const now = rig.clock.now().getTime() / 1000;
    const { headers } = await send(key);
    expect(headers).toMatchObject({
      'x-ratelimit-limit': '1000',
      'x-ratelimit-remaining': '999',
      'x-ratelimit-burst': '100',
      'x-ratelimit-burst-remaining': '99',
      'x-ratelimit-retry-after': '0',
    });
    const reset = Number(headers['x-ratelimit-reset']);
    expect(reset).toBeGreaterThanOrEqual(now + 3600);
    expect(reset).toBeLessThan(now + 3605);
    expect(headers['retry-after']).toBeUndefined();
  });

  test('every response has the standard RateLimit and RateLimit-Policy headers', async () => {
    const { key } = rig.addKey('developer');
    const { headers } = await send(key, 'POST');
    expect(headers['ratelimit-policy']).toBe('"burst";q=100;w=60, "hour";q=1000;w=3600');
    expect(headers.ratelimit).toBe('"burst";r=98;t=60, "hour";r=998;t=3600');
  });

  test('a read request costs 1, a write request 2 and a delete request 3 of the rate limit', async () => {
    const { key } = rig.addKey('business');
    let left = 10_000;
    for (const [method, cost] of [
      ['GET', 1],
      ['HEAD', 1],
      ['POST', 2],
      ['PUT', 2],
      ['DELETE', 3],
    ] as const) {
      left -= cost;
      expect((await send(key, method)).headers['x-ratelimit-remaining']).toBe(String(left));
    }
  });

  test('requests beyond the hourly limit are rejected with RATE_LIMIT_EXCEEDED until the hour ends', async () => {
    const { key } = rig.addKey('developer');
    for (let minute = 0; minute < 10; minute++) {
      expect((await send(key, 'POST', '/graph', { weight: 100 })).statusCode).toBe(200);
      rig.clock.advance(60_001);
    }
    const refused = await send(key);
    expect(refused.json().error.details).toMatchObject({ window: 'hour', limit: 1000, remaining: 0, current_usage: 1000 });
    rig.clock.advance(refused.json().error.details.retry_after * 1000);
    expect((await send(key)).headers['x-ratelimit-remaining']).toBe('999');
  });

  test('a request rejected with 429 counts neither against the rate limit nor as usage', async () => {
    const { key, principal } = rig.addKey('developer');
    expect((await send(key, 'POST', '/graph', { weight: 101 })).statusCode).toBe(429);
    expect(await remaining(key)).toBe(1000);
    expect(rig.used.get(principal.organizationId)).toBeUndefined();
  });

  test('the recorded usage of an organization contains the number and the total cost of its accepted requests', async () => {
    const { key, principal } = rig.addKey('developer');
    await send(key, 'DELETE');
    await send(key, 'POST', '/graph', { weight: 7, requests: 4 });
    await send(key, 'GET', '/free');
    expect(rig.used.get(principal.organizationId)).toEqual({ requests: 5, weight: 10 });
  });

  test('the keys of an organization share its rate limits, and another organization has separate limits', async () => {
    const first = rig.addKey('developer');
    const second = rig.addKey('developer', { organizationId: first.principal.organizationId });
    await send(first.key);
    expect((await send(second.key)).headers['x-ratelimit-remaining']).toBe('998');
    expect((await send(rig.addKey('developer').key)).headers['x-ratelimit-remaining']).toBe('999');
  });

  test("a key's own rate limit applies below the limit of the plan and is ignored above the limit of the plan", async () => {
    const narrow = rig.addKey('developer', { limits: { perMinute: 3, burst: 2 } });
    await send(narrow.key);
    const second = await send(narrow.key);
    expect(second.headers).toMatchObject({
      'x-ratelimit-limit': '180',
      'x-ratelimit-remaining': '178',
      'x-ratelimit-burst': '2',
      'x-ratelimit-burst-remaining': '0',
    });
    expect((await send(narrow.key)).statusCode).toBe(429);

    const wide = rig.addKey('developer', { limits: { perMinute: 1e6, burst: 1e6 } });
    expect((await send(wide.key)).headers).toMatchObject({ 'x-ratelimit-limit': '1000', 'x-ratelimit-burst': '100' });
  });

  test('the eleventh operation of a rate category with a limit of ten per hour is rejected', async () => {
    const { key, principal } = rig.addKey('business');
    for (let count = 0; count < 10; count++) expect((await send(key, 'POST', '/exports')).statusCode).toBe(200);
    const refused = await send(key, 'POST', '/exports');
    expect(refused.json().error.details).toMatchObject({ window: 'export', limit: 10, current_usage: 10 });
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(3500);
    expect(await rig.edge.usageOf({ principal })).toMatchObject({
      hour: { used: 20, remaining: 9980 },
      burst: { used: 20, limit: 500 },
      categories: {
        export: { used: 10, remaining: 0 },
        billing: { used: 0, limit: 100 },
        provisioning: { limit: 50 },
        account: { limit: 200 },
      },
    });
  });

  test('requests on the custom plan are counted but never rejected, and their headers show fair-use values', async () => {
    const { key, principal } = rig.addKey('custom');
    const { headers, statusCode } = await send(key, 'POST', '/graph', { weight: 1_000_000 });
    expect(statusCode).toBe(200);
    expect(headers).toMatchObject({
      'x-ratelimit-limit': '60000000',
      'x-ratelimit-remaining': '59000000',
      'x-ratelimit-burst': '1000000',
      'x-ratelimit-burst-remaining': '0',
      'x-ratelimit-retry-after': '0',
    });
    expect(headers).not.toHaveProperty('ratelimit');
    expect((await rig.edge.usageOf({ principal })).hour.used).toBe(1_000_000);
    expect((await send(key, 'POST', '/graph', { weight: 1_000_000 })).statusCode).toBe(200);
  });

  test("requests beyond a key's limit in any 60 seconds return 429 without suspending the key", async () => {
    const { key } = rig.addKey('enterprise', { limits: { perMinute: 4 } });
    await send(key);
    rig.clock.advance(50_000);
    for (let count = 0; count < 3; count++) expect((await send(key)).statusCode).toBe(200);
    const refused = await send(key);
    expect(refused.json().error.details).toMatchObject({ window: 'minute', limit: 4, remaining: 0, current_usage: 4 });
    expect(Number(refused.headers['retry-after'])).toBeLessThanOrEqual(10);
    rig.clock.advance(10_001);
    expect([(await send(key)).statusCode, (await send(key)).statusCode]).toEqual([200, 429]);
    rig.clock.advance(50_001);
    for (const status of [200, 200, 200, 429]) expect((await send(key)).statusCode).toBe(status);
    expect(rig.suspended).toEqual([]);
  });

  test('a request rejected by the rate limit increments the metric rate_limit_refusals_total', async () => {
    const { key } = rig.addKey('developer');
    await send(key, 'POST', '/graph', { weight: 101 });
    expect(await rig.metricsText()).toContain('rate_limit_refusals_total{window="burst"} 1');
  });
});

describe('addresses with invalid keys', () => {
  const from = (rig: EdgeRig, key: string) => rig.app.inject({ url: '/free', headers: { 'x-api-key': key } });
  const exhausted = async (): Promise<EdgeRig> => {
    const rig = createEdgeRig({ anonymous: { perHour: 10, burst: 5 } });
    for (let count = 0; count < 5; count++) expect((await from(rig, 'sk_live_guess')).statusCode).toBe(401);
    return rig;
  };

  test('an IP address gets 429 after five invalid keys in a minute, and its further keys are not looked up', async () => {
    const rig = await exhausted();
    const lookups = rig.seen.length;
    const refused = await from(rig, 'sk_live_another');
    expect(refused.json().error).toMatchObject({ code: 'RATE_LIMIT_EXCEEDED', details: { window: 'burst', limit: 5, current_usage: 5 } });
    expect(refused.headers).toMatchObject({ 'x-ratelimit-burst-remaining': '0', 'retry-after': expect.any(String) });
    expect((await from(rig, rig.addKey('developer').key)).statusCode).toBe(429);
    const opening = { requestId: 'req_1', ip: '127.0.0.1', params: { 'x-api-key': 'sk_live_guess' } };
    await expect(rig.edge.admit(opening)).rejects.toMatchObject({ code: 'RATE_LIMIT_EXCEEDED' });
    expect(rig.seen).toHaveLength(lookups);

    rig.clock.advance(60_001);
    expect((await from(rig, 'sk_live_guess')).statusCode).toBe(401);
    await rig.app.close();
  });

  test('an IP address that is blocked for invalid keys can still use a key that was valid when it was last used', async () => {
    const rig = createEdgeRig({ anonymous: { perHour: 10, burst: 5 } });
    const { key } = rig.addKey('developer');
    expect((await from(rig, key)).statusCode).toBe(200);
    for (let count = 0; count < 5; count++) expect((await from(rig, 'sk_live_guess')).statusCode).toBe(401);
    expect((await from(rig, 'sk_live_guess')).statusCode).toBe(429);
    expect((await from(rig, key)).statusCode).toBe(200);
    expect((await rig.edge.admit({ requestId: 'req_1', ip: '127.0.0.1', params: { 'x-api-key': key } })).isAnonymous).toBe(false);
    await rig.app.close();
  });
});

test('all IP addresses of an IPv6 /64 share one rate limit, and so do an IPv4 address and its IPv6-mapped form', async () => {
  const rig = createEdgeRig({ trustedProxies: ['127.0.0.1'] });
  const from = async (ip: string) =>
    Number((await rig.app.inject({ url: '/open', headers: { 'x-forwarded-for': ip } })).headers['x-ratelimit-remaining']);
  expect(await from('2001:db8:0:1::1')).toBe(999);
  expect(await from('2001:0db8:0000:0001:ffff:ffff:ffff:ffff')).toBe(998);
  expect(await from('2001:db8:0:2::1')).toBe(999);
  expect(await from('::1')).toBe(999);
  expect(await from('198.51.100.7')).toBe(999);
  expect(await from('::ffff:198.51.100.7')).toBe(998);
  await rig.app.close();
});

test('expired rate counters are removed from memory', () => {
  const counters = new MemoryCounters();
  for (let index = 0; index < 1000; index++)
    counters.charge({ windows: [{ key: `caller_${index}`, amount: 1, limit: 10, windowMs: 60_000 }] }, 1_000_000);
  counters.charge({ windows: [{ key: 'last', amount: 1, limit: 10, windowMs: 60_000 }] }, 1_000_000 + 60_001);
  expect(counters.size).toBe(1);
});

test('while Redis is unavailable, a process counts requests in memory and logs the failure once', async () => {
  const logged: string[] = [];
  const log = createLogger({ level: 'info', destination: { write: (line: string) => void logged.push(line) } });
  const metrics = createMetrics();
  const redis = new Redis('redis://127.0.0.1:1', { lazyConnect: true, retryStrategy: null });
  redis.on('error', () => {});
  const rig = createEdgeRig({ counters: new RedisCounters(redis, log, metrics) });

  const { key } = rig.addKey('developer');
  for (let count = 1; count <= 3; count++) {
    const { headers } = await rig.app.inject({ url: '/things/1', headers: { 'x-api-key': key } });
    expect(headers['x-ratelimit-remaining']).toBe(String(1000 - count));
  }
  expect(logged.filter((line) => line.includes('Redis is unreachable'))).toHaveLength(1);
  expect(await metrics.text()).toContain('rate_limit_store_up 0');
  await rig.app.close();
});
