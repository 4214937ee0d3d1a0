import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createEdgeRig, type EdgeRig } from './edge-rig.ts';
import { stores } from './edge-stores.ts';

const SUSPENSION_S = 300;

describe.each(stores)('suspension stored in %s', (_, open) => {
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

  const get = (key: string, url = '/things/1') => rig.app.inject({ url, headers: { 'x-api-key': key } });
  /** Exceeds the burst limit of the developer plan by one request. */
  const exceed = async (key: string) => {
    const all = await rig.app.inject({ method: 'POST', url: '/graph', headers: { 'x-api-key': key }, payload: { weight: 100 } });
    expect(all.statusCode).toBe(200);
    return get(key);
  };

  test('a key that exceeds the burst limit gets 429 with its current usage and is suspended for five minutes', async () => {
    const { key, principal } = rig.addKey('developer');
    const now = rig.clock.now().getTime();
    const refused = await exceed(key);
    expect(refused.statusCode).toBe(429);
    const { details, code } = refused.json().error;
    expect(code).toBe('RATE_LIMIT_EXCEEDED');
    expect(details).toMatchObject({ window: 'burst', limit: 100, remaining: 0, current_usage: 100, retry_after: SUSPENSION_S });
    expect(Date.parse(details.reset_time)).toBeGreaterThanOrEqual(now + SUSPENSION_S * 1000);
    expect(refused.headers).toMatchObject({
      'retry-after': '300',
      'x-ratelimit-retry-after': '300',
      'x-ratelimit-remaining': '900',
      'x-ratelimit-burst-remaining': '0',
    });
    expect(rig.suspended).toEqual([principal.id]);
  });

  test('requests of a suspended key return 403 KEY_SUSPENDED with the end time for five minutes and are not counted', async () => {
    const { key } = rig.addKey('developer');
    await exceed(key);
    rig.clock.advance(200_000);
    for (let count = 0; count < 3; count++) {
      const refused = await get(key);
      expect(refused.statusCode).toBe(403);
      const { code, details } = refused.json().error;
      expect(code).toBe('KEY_SUSPENDED');
      expect(details).toEqual({ suspended_until: expect.stringMatching(/Z$/), retry_after: expect.any(Number) });
      expect(details.retry_after).toBeGreaterThan(90);
      expect(details.retry_after).toBeLessThanOrEqual(100);
      expect(refused.headers).toMatchObject({ 'retry-after': String(details.retry_after), 'x-ratelimit-remaining': '900' });
    }
    expect(rig.suspended).toHaveLength(1);

    rig.clock.advance(100_000);
    expect((await get(key)).headers['x-ratelimit-remaining']).toBe('899');
  });

  test('a single request that costs more than the burst limit returns 429 without suspending the key', async () => {
    const { key } = rig.addKey('developer');
    const refused = await rig.app.inject({ method: 'POST', url: '/graph', headers: { 'x-api-key': key }, payload: { weight: 200 } });
    expect(refused.statusCode).toBe(429);
    expect(refused.json().error.details).toMatchObject({ window: 'burst', limit: 100 });
    expect((await get(key)).statusCode).toBe(200);
    expect(rig.suspended).toEqual([]);
  });

  test('a suspended key can still call routes that cost nothing', async () => {
    const { key } = rig.addKey('developer');
    await exceed(key);
    expect((await get(key, '/free')).statusCode).toBe(200);
  });

  test('other keys of an organization are accepted while one of its keys is suspended', async () => {
    const first = rig.addKey('developer');
    const other = rig.addKey('developer', { organizationId: first.principal.organizationId });
    await exceed(first.key);
    rig.clock.advance(60_001);
    expect((await get(first.key)).statusCode).toBe(403);
    expect((await get(other.key)).statusCode).toBe(200);
  });

  test("exceeding a key's own burst limit suspends the key, even on a plan without limits", async () => {
    const { key } = rig.addKey('custom', { limits: { burst: 2 } });
    for (const status of [200, 200, 429, 403]) expect((await get(key)).statusCode).toBe(status);
  });

  test("requests rejected by a key's own minute limit count against its own burst limit, and exceeding that suspends the key", async () => {
    const { key, principal } = rig.addKey('custom', { limits: { perMinute: 2, burst: 4 } });
    for (const status of [200, 200, 429, 429]) expect((await get(key)).statusCode).toBe(status);
    expect(rig.suspended).toEqual([]);
    const hard = await get(key);
    expect(hard.json().error.details).toMatchObject({ window: 'burst', limit: 4, retry_after: SUSPENSION_S });
    expect((await get(key)).json().error.code).toBe('KEY_SUSPENDED');
    expect(rig.suspended).toEqual([principal.id]);
  });

  test("requests rejected by a key's own limit do not count against the limits of its organization", async () => {
    const slow = rig.addKey('developer', { limits: { perMinute: 1 } });
    for (let count = 0; count < 120; count++) await get(slow.key);
    const other = rig.addKey('developer', { organizationId: slow.principal.organizationId });
    expect((await get(other.key)).headers['x-ratelimit-burst-remaining']).toBe('98');
  });

  test('requests beyond the limit per minute or beyond a category limit return 429 without suspending the key', async () => {
    const { key } = rig.addKey('business');
    for (let count = 0; count < 10; count++) await rig.app.inject({ method: 'POST', url: '/exports', headers: { 'x-api-key': key } });
    for (let count = 0; count < 2; count++) {
      const { statusCode } = await rig.app.inject({ method: 'POST', url: '/exports', headers: { 'x-api-key': key } });
      expect(statusCode).toBe(429);
    }
    expect((await get(key)).statusCode).toBe(200);
    const slow = rig.addKey('custom', { limits: { perMinute: 1, burst: 5 } });
    for (const status of [200, 429, 429]) expect((await get(slow.key)).statusCode).toBe(status);
    expect(rig.suspended).toEqual([]);
  });

  test('opening a socket with a suspended key fails with KEY_SUSPENDED, and so do operations on already open sockets', async () => {
    const { key, principal } = rig.addKey('developer');
    const opening = { requestId: 'req_1', ip: '127.0.0.1', params: { 'x-api-key': key } };
    const socket = await rig.edge.admit(opening);
    await exceed(key);
    await expect(rig.edge.admit(opening)).rejects.toMatchObject({ code: 'KEY_SUSPENDED' });
    await expect(socket.charge({ weight: 1 })).rejects.toMatchObject({ code: 'KEY_SUSPENDED' });
    expect((await rig.edge.admit({ ...opening, isRecheck: true })).principal).toBe(principal);
    expect(await rig.edge.usageOf({ principal })).toMatchObject({ suspendedUntil: expect.any(Date), burst: { used: 100 } });
  });
});

test('an IP address that sends no credentials gets 429 beyond its limit but is never suspended', async () => {
  const rig = createEdgeRig({ anonymous: { perHour: 10, burst: 2 } });
  const open = () => rig.app.inject({ url: '/open' });
  for (const status of [200, 200, 429, 429]) expect((await open()).statusCode).toBe(status);
  rig.clock.advance(60_001);
  expect((await open()).statusCode).toBe(200);
  await rig.app.close();
});
