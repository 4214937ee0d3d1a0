import { expect, test } from 'vitest';
import { isObject, type JsonObject, mergeInto } from '../../router/execution/merge.ts';
import { caller } from '../graphql/fixtures/rig.ts';
import { shopServer } from '../graphql/fixtures/server.ts';

const shop = shopServer();

const run = (document: string) => shop.router.execute({ document, context: caller() });

async function post(query: string): Promise<{ status: number; body: { errors?: { message: string; extensions: { code: string } }[] } }> {
  const response = await fetch(shop.server.url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query }),
    signal: AbortSignal.timeout(10_000),
  });
  return { status: response.status, body: (await response.json()) as never };
}

/**
 * Earlier, `{ __proto__: person { polluted: name orders { id } } }` wrote a person into the prototype of every object.
 */
test.each([
  ['__proto__ across two subgraphs', '{ __proto__: person(id: "p1") { polluted: name orders { id } } }'],
  ['__proto__ on a nested field', '{ person(id: "p1") { id __proto__: orders { polluted: id items { available } } } }'],
  ['__proto__ in a fragment', '{ ...F } fragment F on Query { __proto__: person(id: "p1") { polluted: name orders { id } } }'],
  ['__proto__ as alias of __typename', '{ person(id: "p1") { id __proto__: __typename } }'],
  ['__typename as alias of another field', '{ person(id: "p1") { __typename: name } }'],
])('a document with an alias that begins with two underscores returns 400: %s', async (_, query) => {
  const { status, body } = await post(query);
  expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  expect(status).toBe(400);
  expect(body.errors).toEqual([
    expect.objectContaining({
      message: expect.stringMatching(/begins with two underscores/),
      extensions: expect.objectContaining({ code: 'INVALID_PARAMETERS' }),
    }),
  ]);
});

test('__typename is allowed, and so are the aliases that the GraphQL client Relay gives it, such as __isPerson', async () => {
  expect((await run('{ person(id: "p1") { __typename __isPerson: __typename kind: __typename } }')).data).toEqual({
    person: { __typename: 'Person', __isPerson: 'Person', kind: 'Person' },
  });
});

test('an alias can be the name of an inherited object property such as toString', async () => {
  const { data } = await run('{ constructor: person(id: "p1") { toString: name orders { valueOf: id } } hasOwnProperty: broken }');
  expect(JSON.parse(JSON.stringify(data))).toEqual({
    constructor: { toString: 'Ada', orders: [{ valueOf: 'o1' }, { valueOf: 'o2' }] },
    hasOwnProperty: null,
  });
});

test('merging a subgraph response with __proto__ keys does not change any prototype', () => {
  const sent = '{"__proto__":{"polluted":1},"person":{"__proto__":{"polluted":2},"orders":[{"__proto__":{"polluted":3}}]}}';
  const target = { person: { orders: [{ id: 'o1' }] } };
  for (let n = 0; n < 2; n++) mergeInto(target, JSON.parse(sent) as JsonObject);
  expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  expect(isObject(target) && Object.getPrototypeOf(target)).toBe(Object.prototype);
  expect(target).toEqual({ person: { orders: [{ id: 'o1' }] } });
});

const doubling = (depth: number, leaf: string): string => {
  const fragments = Array.from({ length: depth }, (_, n) => `fragment f${n} on Query { ...f${n + 1} ...f${n + 1} }`);
  return `{ ...f0 } ${fragments.join(' ')} fragment f${depth} on Query { ${leaf} }`;
};

/**
 * Earlier, each of these documents was expanded 2^40 times. The test ends only if the document is rejected before that.
 */
test.each([
  ['the schema', doubling(40, '__schema { queryType { name } }')],
  ['a type', doubling(40, '__type(name: "Person") { name }')],
  ['the name of a type', doubling(40, '__typename')],
  ['data', doubling(40, 'whoAmI')],
  ['within the schema', `{ __schema { ${'queryType { ...t0 }'} } } ${doublingTypes(40)}`],
])('a document with 40 fragments that each spread the next one twice returns 400 before it is expanded: %s', async (_, query) => {
  const { status, body } = await post(query);
  expect(status).toBe(400);
  expect(body.errors?.[0]).toMatchObject({ message: expect.stringMatching(/at most \d+/), extensions: { code: 'INVALID_PARAMETERS' } });
  expect((await run(query)).errors?.[0]?.message).toMatch(/at most \d+/);
});

function doublingTypes(depth: number): string {
  const fragments = Array.from(
    { length: depth },
    (_, n) => `fragment t${n} on __Type { a: ofType { ...t${n + 1} } b: ofType { ...t${n + 1} } }`,
  );
  return `${fragments.join(' ')} fragment t${depth} on __Type { name }`;
}

test('a document with more than 1000 fragment spreads returns an error, even if it selects few fields', async () => {
  const chain = Array.from({ length: 300 }, (_, n) => `fragment c${n} on Query { ...c${n + 1} }`).join(' ');
  const query = `{ ${Array.from({ length: 10 }, (_, n) => `... on Query { ...c0 a${n}: whoAmI }`).join(' ')} } ${chain} fragment c300 on Query { whoAmI }`;
  expect((await run(query)).errors?.[0]?.message).toMatch(/fragments; at most 1000/);
});
