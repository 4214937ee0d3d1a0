import { once } from 'node:events';
import { type ClientRequest, get } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Principal } from '../../kernel/access/principal.ts';
import type { Priority } from '../../kernel/http/http.ts';
import { eventually } from '../rig.ts';
import { createEdgeRig, type EdgeRig } from './edge-rig.ts';
import { stores } from './edge-stores.ts';

/** The number of concurrency slots of the developer plan (specification 8.1). */
const SLOTS = 10;

describe.each(stores)('slots stored in %s', (_, open) => {
  let rig: EdgeRig;
  let close: () => void;
  let key: string;
  let principal: Principal;
  beforeEach(async () => {
    const store = await open();
    close = store.close;
    rig = createEdgeRig({ counters: store.counters });
    ({ key, principal } = rig.addKey('developer'));
  });
  afterEach(async () => {
    await eventually(async () => {
      releaseAll(rig);
      return (await used()).used === 0;
    });
    await rig.app.close();
    close();
  });

  const hold = (name: string, priority: Priority = 'normal') =>
    rig.app.inject({ url: `/held/${priority}/${name}`, headers: { 'x-api-key': key } });
  const used = () => rig.edge.usageOf({ principal }).then(({ concurrency }) => concurrency);
  const waits = (count: number) => eventually(async () => (await used()).waiting === count);
  const runs = (count: number) => eventually(() => rig.held.size === count);

  /** Fills all slots with requests. The returned responses resolve when the test lets the requests respond. */
  async function fill() {
    const responses = Array.from({ length: SLOTS }, (_, n) => hold(`first${n}`));
    await runs(SLOTS);
    rig.served.length = 0;
    return responses;
  }

  /** Number of requests that count as running. */
  const running = async (): Promise<number> => Number(/^http_requests_running (\d+)$/m.exec(await rig.metricsText())?.[1] ?? Number.NaN);

  /** Starts to listen, and sends a request whose response is not read. */
  async function unread(path: string): Promise<ClientRequest> {
    if (!rig.app.server.listening) await rig.app.listen({ port: 0, host: '127.0.0.1' });
    const { port } = rig.app.server.address() as AddressInfo;
    return get({ port, path, headers: { 'x-api-key': key } }).on('error', () => undefined);
  }

  test('requests that wait for a slot, and requests that ended or were aborted, do not count as running', async () => {
    const first = await fill();
    const later = hold('later');
    await waits(1);
    expect(await running()).toBe(SLOTS);
    const aborted = await unread('/held/normal/aborted');
    await waits(2);
    aborted.destroy();
    await waits(1);
    const deferred = rig.app.inject({
      ...{ method: 'POST', url: '/held/deferred/deferred', headers: { 'x-api-key': key }, payload: { priority: 'low' } },
    });
    await waits(2);
    expect(await running()).toBe(SLOTS);
    rig.held.get('first0')?.();
    await eventually(() => rig.held.has('later'));
    expect(await running()).toBe(SLOTS);
    releaseAll(rig);
    await Promise.all([...first, later]);
    await eventually(() => rig.held.has('deferred'));
    expect(await running()).toBe(1);
    releaseAll(rig);
    await deferred;
    await eventually(async () => (await running()) === 0);
  });

  test('a request whose response the client does not read keeps its slot, but does not count as running', async () => {
    const sent = await unread('/large');
    await once(sent, 'response');
    expect([await running(), (await used()).used]).toEqual([0, 1]);
    sent.destroy();
    await eventually(async () => (await used()).used === 0);
  });

  test('a request waits while all concurrency slots of the plan are used and starts when a slot is free', async () => {
    const [first] = await fill();
    const later = hold('later');
    await waits(1);
    expect(await used()).toEqual({ used: SLOTS, limit: SLOTS, waiting: 1 });
    expect(rig.served).toEqual([]);

    rig.held.get('first0')?.();
    expect((await first)?.statusCode).toBe(200);
    await eventually(() => rig.served.includes('later'));
    rig.held.get('later')?.();
    expect((await later).statusCode).toBe(200);
    releaseAll(rig);
    await eventually(async () => (await used()).used === 0);
  });

  test('requests that wait for a concurrency slot are served by priority, and then in order of arrival', async () => {
    await fill();
    const order = ['low1:low', 'normal1:normal', 'critical1:critical', 'high1:high', 'normal2:normal', 'critical2:critical'];
    for (const [count, one] of order.entries()) {
      const [name = '', priority] = one.split(':');
      void hold(name, priority as Priority);
      await waits(count + 1);
    }
    const expected = ['critical1', 'critical2', 'high1', 'normal1', 'normal2', 'low1'];
    for (const [count, name] of expected.entries()) {
      rig.held.get(`first${count}`)?.();
      await eventually(() => rig.served.at(count) === name);
    }
    expect(rig.served).toEqual(expected);
  });

  test('a request whose body sets its priority waits for a concurrency slot with this priority', async () => {
    await fill();
    void hold('high1', 'high');
    await waits(1);
    const late = { method: 'POST', url: '/held/deferred/late', headers: { 'x-api-key': key }, payload: { priority: 'critical' } } as const;
    void rig.app.inject(late);
    await waits(2);
    rig.held.get('first0')?.();
    await eventually(() => rig.served.length === 1);
    expect(rig.served).toEqual(['late']);
  });

  test('requests that cost nothing, of other organizations or on plans without a limit do not wait for concurrency slots', async () => {
    await fill();
    expect((await rig.app.inject({ url: '/free', headers: { 'x-api-key': key } })).statusCode).toBe(200);
    for (const plan of ['developer', 'custom'] as const) {
      expect((await rig.app.inject({ url: '/things/1', headers: { 'x-api-key': rig.addKey(plan).key } })).statusCode).toBe(200);
    }
  });

  test('a request releases its concurrency slot after a 500, 404 or 429 response', async () => {
    for (let count = 0; count < SLOTS + 1; count++) {
      expect((await rig.app.inject({ url: `/thrown/${count}`, headers: { 'x-api-key': key } })).statusCode).toBe(500);
      expect((await rig.app.inject({ url: '/nowhere', headers: { 'x-api-key': key } })).statusCode).toBe(404);
    }
    const graph = { method: 'POST', url: '/graph', headers: { 'x-api-key': key }, payload: { weight: 101 } } as const;
    expect((await rig.app.inject(graph)).statusCode).toBe(429);
    await eventually(async () => (await used()).used === 0);
  });

  test('a client that disconnects releases its concurrency slot or its position in the queue', async () => {
    await rig.app.listen({ host: '127.0.0.1', port: 0 });
    const { port } = rig.app.server.address() as AddressInfo;
    const call = (name: string) => {
      const request = get({ port, path: `/held/normal/${name}`, headers: { 'x-api-key': key } });
      request.on('error', () => {});
      return request;
    };
    const first = call('first');
    await runs(1);
    const rest = Array.from({ length: SLOTS - 1 }, (_, n) => hold(`rest${n}`));
    await runs(SLOTS);
    const impatient = call('impatient');
    await waits(1);
    void hold('patient');
    await waits(2);

    impatient.destroy();
    await waits(1);
    first.destroy();
    await eventually(() => rig.served.includes('patient'));
    expect(rig.served).not.toContain('impatient');
    releaseAll(rig);
    await Promise.all(rest);
    await eventually(async () => (await used()).used === 0);
  });

  test('a client that disconnects before its key is looked up uses no concurrency slot', async () => {
    const { promise: found, resolve: find } = Promise.withResolvers<void>();
    const slow = createEdgeRig({ lookup: () => found });
    const known = slow.addKey('developer');
    await slow.app.listen({ host: '127.0.0.1', port: 0 });
    const { port } = slow.app.server.address() as AddressInfo;
    const request = get({ port, path: '/held/normal/gone', headers: { 'x-api-key': known.key } });
    const closed = new Promise((resolve) => slow.app.server.once('connection', (socket) => socket.once('close', resolve)));
    request.on('error', () => {});
    await eventually(() => slow.seen.length === 1);
    request.destroy();
    await closed;
    find();
    await eventually(() => slow.used.has(known.principal.organizationId));
    expect((await slow.edge.usageOf(known)).concurrency.used).toBe(0);
    releaseAll(slow);
    await slow.app.close();
  });

  test('a running WebSocket operation uses a concurrency slot, and a waiting operation leaves the queue when the socket closes', async () => {
    const socket = await rig.edge.admit({ requestId: 'req_1', ip: '127.0.0.1', params: { 'x-api-key': key } });
    const open = new AbortController();
    const turn = { priority: 'normal', cost: { weight: 1 } } as const;
    const inside = await socket.serve(turn, open.signal, used);
    expect(inside.used).toBe(1);
    expect((await used()).used).toBe(0);
    await expect(socket.serve(turn, open.signal, () => Promise.reject(new Error('failed')))).rejects.toThrow('failed');
    expect((await used()).used).toBe(0);

    await fill();
    const waiting = socket.serve(turn, open.signal, async () => 'served').catch((error: unknown) => error);
    await waits(1);
    open.abort();
    expect(await waiting).toMatchObject({ code: 'RATE_LIMIT_EXCEEDED' });
    expect((await used()).waiting).toBe(0);
    await expect(socket.serve(turn, open.signal, async () => 'served')).rejects.toMatchObject({ code: 'RATE_LIMIT_EXCEEDED' });
  });
});

describe.each(stores)('slot timeout with slots stored in %s', (_, open) => {
  test('a request that waits for a concurrency slot longer than the timeout returns 429 and is not counted', async () => {
    const { counters, close } = await open();
    const rig = createEdgeRig({ counters, slotWaitMs: 30 });
    const { key, principal } = rig.addKey('developer');
    const hold = (name: number) => rig.app.inject({ url: `/held/normal/${name}`, headers: { 'x-api-key': key } });
    const held = Array.from({ length: SLOTS }, (_, n) => hold(n));
    await eventually(() => rig.held.size === SLOTS);

    const refused = await rig.app.inject({ method: 'POST', url: '/exports', headers: { 'x-api-key': key } });
    expect(refused.statusCode).toBe(429);
    expect(refused.json().error).toMatchObject({
      code: 'RATE_LIMIT_EXCEEDED',
      details: { window: 'concurrency', limit: SLOTS, remaining: 0, current_usage: SLOTS, retry_after: 1 },
    });
    expect(refused.headers).toMatchObject({ 'retry-after': '1', 'x-ratelimit-remaining': '990', 'x-ratelimit-burst-remaining': '90' });
    expect(rig.used.get(principal.organizationId)).toEqual({ requests: SLOTS, weight: SLOTS });
    expect((await rig.edge.usageOf({ principal })).categories.export.used).toBe(0);
    expect(await rig.metricsText()).toContain('rate_limit_refusals_total{window="concurrency"} 1');

    const socket = await rig.edge.admit({ requestId: 'req_1', ip: '127.0.0.1', params: { 'x-api-key': key } });
    const cost = { weight: 2 };
    await socket.charge(cost);
    const waiting = socket.serve({ cost, priority: 'critical' }, new AbortController().signal, async () => 'served');
    await expect(waiting).rejects.toMatchObject({ details: { window: 'concurrency' } });
    expect((await rig.edge.usageOf({ principal })).hour.used).toBe(SLOTS);

    releaseAll(rig);
    await Promise.all(held);
    await rig.app.close();
    close();
  });
});

function releaseAll(rig: EdgeRig): void {
  for (const end of rig.held.values()) end();
}
