import type { ExecutionResult } from 'graphql';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Principal } from '../../kernel/access/principal.ts';
import type { Router } from '../../router/router.ts';
import { type Caller, caller, localRouter, until } from './fixtures/rig.ts';
import { Shop } from './fixtures/shop.ts';

type Stream = AsyncIterableIterator<ExecutionResult>;

let shop: Shop;
let router: Router;
let live = { subscribers: 0, streams: 0 };
let fetched: string[] = [];

beforeEach(async () => {
  shop = new Shop();
  fetched = [];
  router = await localRouter(shop.subgraphs(), {
    live: { bufferSize: 3, bufferBytes: 2_000, positionArguments: ['after'] },
    observer: {
      live: (record) => {
        live = record;
      },
      fetch: ({ subgraph }) => fetched.push(subgraph),
    },
  });
});
afterEach(() => router.close());

async function follow(
  document: string,
  context: Caller = caller(),
  variables: Record<string, unknown> = {},
  onOverflow?: () => void,
): Promise<Stream> {
  const stream = await router.subscribe({ document, variables, context }, onOverflow && { onOverflow });
  if (!(Symbol.asyncIterator in stream)) throw new Error(JSON.stringify(stream));
  return stream;
}

const place = (id: string, personId = 'p1') => shop.place({ id, personId, items: ['i1'] });
const resultOf = async (stream: Stream) => (await stream.next()).value as ExecutionResult;

test('a subscription with fields of one subgraph is served without a query plan', async () => {
  const stream = await follow(
    'subscription S($no: Boolean = false) { placed: orderPlaced { ...F name: id @skip(if: $no) } } fragment F on Order { id }',
  );
  place('o10');
  expect(await resultOf(stream)).toEqual({ data: { placed: { id: 'o10', name: 'o10' } } });
  expect(fetched).toEqual([]);
});

test('a subscription event includes fields that the router fetches from other subgraphs', async () => {
  const stream = await follow(
    'subscription ($long: Boolean = true) { orderPlaced { id person { name orders @include(if: $long) { id } } items { available } } }',
  );
  place('o10');
  place('o11', 'p2');
  expect(await resultOf(stream)).toEqual({
    data: {
      orderPlaced: { id: 'o10', person: { name: 'Ada', orders: [{ id: 'o1' }, { id: 'o2' }, { id: 'o10' }] }, items: [{ available: 10 }] },
    },
  });
  expect((await resultOf(stream)).data?.orderPlaced).toMatchObject({ id: 'o11', person: { name: 'Grace' } });
});

test('each event of a subscription is resolved with a new resolver context', async () => {
  const stream = await follow('subscription { personRenamed { name contextNumber } }');
  const numbers: unknown[] = [];
  for (const name of ['Eve', 'Ida']) {
    await router.execute({
      document: 'mutation ($name: String!) { rename(id: "p1", name: $name) { id } }',
      variables: { name },
      context: caller(),
    });
    const { data } = await resultOf(stream);
    expect(data?.personRenamed).toMatchObject({ name });
    numbers.push((data as { personRenamed: { contextNumber: number } }).personRenamed.contextNumber);
  }
  expect(new Set(numbers).size).toBe(2);
});

test('subscribers with the same operation and permissions share one stream, which closes when the last subscriber unsubscribes', async () => {
  const document = 'subscription { orderPlaced { id person { name } } }';
  const [first, second] = [await follow(document), await follow(document)];
  expect(shop.openStreams).toBe(1);
  expect(live).toEqual({ subscribers: 2, streams: 1 });

  place('o10');
  expect(await resultOf(first)).toEqual(await resultOf(second));
  expect(fetched).toEqual(['orders', 'people']);

  await first.return?.();
  expect(shop.openStreams).toBe(1);
  const waiting = second.next();
  await second.return?.();
  expect(await waiting).toEqual({ done: true, value: undefined });
  await until(() => shop.openStreams === 0);
  expect(live).toEqual({ subscribers: 0, streams: 0 });
});

test('subscriptions that differ in caller, permissions, variables or accounts do not share a stream', async () => {
  const document = 'subscription ($a: Boolean = true) { orderPlaced { id person @include(if: $a) { name } } }';
  await follow(document, caller('key_1'));
  await follow(document, caller('key_2'));
  await follow(document, caller('key_1', ['support:read']));
  await follow(document, caller('key_1'), { a: false });
  expect(live).toEqual({ subscribers: 4, streams: 4 });
  // one caller with different lists of accounts
  for (const accounts of [['acc_1'], ['acc_2'], ['acc_1', 'acc_2'], ['acc_2', 'acc_1']])
    await follow(document, { ...caller('key_1'), principal: new Principal({ ...caller('key_1').principal.toJSON(), accounts }) });
  expect(live).toEqual({ subscribers: 8, streams: 7 });
});

test('each subscriber that resumes with an event id has its own stream, and all other subscribers share one stream', async () => {
  const document = 'subscription ($after: ID) { orderPlaced(after: $after) { id } }';
  await follow(document, caller(), { after: 'o1' });
  await follow(document, caller(), { after: 'o1' });
  expect(live.streams).toBe(2);
  await follow(document, caller(), {});
  await follow(document, caller(), { after: null });
  await follow(document, caller(), {});
  expect(live).toEqual({ subscribers: 5, streams: 4 });
});

test('a slow subscriber receives the buffered events and then RATE_LIMIT_EXCEEDED, and other subscribers receive all events', async () => {
  const document = 'subscription { orderPlaced { id } }';
  let overflows = 0;
  const slow = await follow(document, caller(), {}, () => {
    overflows += 1;
  });
  const fast = await follow(document);
  const seen: unknown[] = [];
  for (let n = 0; n < 5; n++) {
    place(`o2${n}`);
    seen.push((await resultOf(fast)).data?.orderPlaced);
  }
  expect(seen).toHaveLength(5);
  // reported immediately, because the client may never read again
  expect(overflows).toBe(1);

  const kept: ExecutionResult[] = [];
  for await (const result of slow) kept.push(result);
  expect(kept.slice(0, 3).map(({ data }) => data?.orderPlaced)).toEqual([{ id: 'o20' }, { id: 'o21' }, { id: 'o22' }]);
  expect(kept).toHaveLength(4);
  expect(kept[3]?.errors?.[0]?.extensions).toMatchObject({ code: 'RATE_LIMIT_EXCEEDED', request_id: expect.any(String) });
  expect(live.subscribers).toBe(1);
});

test('the buffer of a slow subscriber is also limited by its size in bytes', async () => {
  const document = 'subscription { personRenamed { name } }';
  const [slow, fast] = [await follow(document), await follow(document)];
  for (const length of [100, 2_000]) {
    const rename = 'mutation ($name: String!) { rename(id: "p1", name: $name) { id } }';
    await router.execute({ document: rename, variables: { name: 'x'.repeat(length) }, context: caller() });
    await resultOf(fast);
  }
  const kept: ExecutionResult[] = [];
  for await (const result of slow) kept.push(result);
  expect(kept.map(({ errors }) => errors?.[0]?.extensions.code)).toEqual([undefined, 'RATE_LIMIT_EXCEEDED']);
});

test('a subscriber that resumes with the id of its last event receives all later events, even if it reads slowly', async () => {
  const stream = await follow('subscription { orderPlaced(after: "o1") { id } }');
  const ids = Array.from({ length: 10 }, (_, index) => `o3${index}`);
  for (const id of ids) place(id);
  // enough time for all events to arrive
  for (let turns = 0; turns < 50; turns += 1) await new Promise((resolve) => setImmediate(resolve));
  const seen: unknown[] = [];
  while (seen.length < ids.length) seen.push((await resultOf(stream)).data?.orderPlaced);
  expect(seen).toEqual(ids.map((id) => ({ id })));
});

test('if a subgraph rejects a subscription, the router returns the error of the subgraph and opens no stream', async () => {
  const context = caller('key_1', []);
  const result = await router.subscribe({ document: 'subscription { personRenamed { name } }', context });
  expect(result).toMatchObject({ errors: [{ message: 'This needs support:read.' }] });
  expect((result as ExecutionResult).errors?.[0]?.extensions).toEqual({
    code: 'INSUFFICIENT_PERMISSIONS',
    details: { required: 'support:read' },
    request_id: context.requestId,
  });
  expect(live).toEqual({ subscribers: 0, streams: 0 });
});

test('a subscription with fields of another subgraph returns an error if the subscribed records cannot be loaded by id', async () => {
  const result = (await router.subscribe({
    document: 'subscription { itemCounted { id available } }',
    context: caller(),
  })) as ExecutionResult;
  expect(result.errors?.[0]?.message).toMatch(/itemCounted can select only fields of orders/);
});

test('an event whose record no longer exists returns an error, and the subscription continues', async () => {
  const stream = await follow('subscription { orderPlaced { id person { name } } }');
  place('o10');
  shop.orders.pop();
  const gone = await resultOf(stream);
  expect(gone.data).toBeNull();
  expect(gone.errors?.[0]).toMatchObject({ path: ['orderPlaced'], extensions: { code: 'RESOURCE_NOT_FOUND', details: { id: 'o10' } } });
  place('o11');
  expect((await resultOf(stream)).data?.orderPlaced).toMatchObject({ id: 'o11' });
});

test('subscriptions continue after an update of the supergraph', async () => {
  const stream = await follow('subscription { orderPlaced { id person { name } } }');
  place('o10');
  await resultOf(stream);
  await router.update(router.supergraphSdl);
  place('o11');
  expect((await resultOf(stream)).data).toEqual({ orderPlaced: { id: 'o11', person: { name: 'Ada' } } });
});

test('closing the router ends all subscriptions and closes their subgraph streams', async () => {
  const stream = await follow('subscription { orderPlaced { id } }');
  const waiting = stream.next();
  await router.close();
  expect(await waiting).toEqual({ done: true, value: undefined });
  await until(() => shop.openStreams === 0);
});
