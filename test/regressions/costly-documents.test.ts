import { readFileSync } from 'node:fs';
import { getIntrospectionQuery } from 'graphql';
import { expect, test, vi } from 'vitest';
import { Documents } from '../../router/documents.ts';
import { ExecutableSupergraph } from '../../router/executable-supergraph.ts';
import { DEFAULT_LIMITS } from '../../router/limits.ts';
import { caller } from '../graphql/fixtures/rig.ts';
import { shopServer } from '../graphql/fixtures/server.ts';

const shop = shopServer();

async function post(query: string, variables = {}) {
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(shop.server.url, { method: 'POST', headers, body: JSON.stringify({ query, variables }) });
  const body = (await response.json()) as { data?: Record<string, unknown>; errors?: { message: string }[] };
  return { status: response.status, data: body.data, messages: body.errors?.map(({ message }) => message) };
}

test('a document with more than 20,000 pairs of fields that share a response key returns 400 and is not validated', async () => {
  const validated = vi.spyOn(Documents.prototype, 'operation');
  const { status, messages } = await post(`{ people { ${'orders { id } '.repeat(150)} } }`);
  expect(status).toBe(400);
  expect(messages).toEqual([expect.stringMatching(/the same fields too often: \d{5} pairs; at most 20000 are allowed/)]);
  expect(validated).not.toHaveBeenCalled();
});

test.each([
  ['fields', `{ nobody { ${'id '.repeat(501)} } }`, /selects 502 fields; at most 500/],
  ['fields of an unused fragment', `{ whoAmI } fragment F on Person { ${'id '.repeat(501)} }`, /selects 501 fields; at most 500/],
  ['aliases', `{ ${Array.from({ length: 301 }, (_, n) => `a${n}: nobody`).join(' ')} }`, /301 aliases; at most 300/],
  ['fragments that contain themselves', '{ ...A } fragment A on Query { nobody { ...B } } fragment B on Person { ...A }', /spreads itself/],
])('a document beyond a limit returns 400 with only this error: %s', async (_, query, reason) => {
  expect(await post(query)).toMatchObject({ status: 400, messages: [expect.stringMatching(reason)] });
});

/**
 * Earlier, documents with more than 1,500 levels overflowed the stack, and 48 levels failed in the planner. Both
 * returned 500.
 */
test.each([
  ['fragments', (levels: number) => `{ ${'... {'.repeat(levels - 1)} nobody ${'}'.repeat(levels - 1)} }`],
  ['lists', (levels: number) => `{ people(ids: ${'['.repeat(levels - 2)}${']'.repeat(levels - 2)}) { id } }`],
  ['objects', (levels: number) => `{ people(ids: ${'{a:'.repeat(levels - 2)}1${'}'.repeat(levels - 2)}) { id } }`],
  ['types', (levels: number) => `query ($a: ${'['.repeat(levels - 1)}Int${']'.repeat(levels - 1)}) { nobody }`],
])('a document nested more than 40 levels deep returns 400: %s', async (_, nested) => {
  const tooDeep = { status: 400, messages: ['The document is nested more than 40 levels deep.'] };
  expect((await post(nested(40))).messages ?? []).not.toEqual(tooDeep.messages);
  expect(await post(nested(41))).toMatchObject(tooDeep);
  expect(await post(nested(2_400))).toMatchObject(tooDeep);
});

test('an invalid document that exceeds no limit returns 400 with all of its validation errors', async () => {
  const { status, messages } = await post('{ nobody people { nothing } }');
  expect(status).toBe(400);
  expect(messages).toEqual([expect.stringMatching(/nobody/), expect.stringMatching(/nothing/)]);
});

test('a document with sixty fragments on the same record returns no error', async () => {
  const fragments = Array.from({ length: 60 }, (_, n) => `fragment F${n} on Person { id name a${n}: role }`);
  const { messages } = await post(`{ people { ${fragments.map((_, n) => `...F${n}`).join(' ')} } } ${fragments.join(' ')}`);
  expect(messages).toBeUndefined();
});

const whole = getIntrospectionQuery();
const schemaPart = whole.slice(whole.indexOf('__schema'), whole.lastIndexOf('}', whole.indexOf('fragment FullType')));
const fragments = whole.slice(whole.indexOf('fragment FullType'));
const schemas = (times: number) => `{ ${Array.from({ length: times }, (_, n) => `s${n}: ${schemaPart}`).join(' ')} } ${fragments}`;
const fieldsTimes = (times: number) => Array.from({ length: times }, (_, n) => `f${n}: fields { name type { name } }`).join(' ');

test('the introspection query of common tools succeeds, and ten of them in one operation return 400', async () => {
  expect((await post(whole)).messages).toBeUndefined();
  expect((await post(schemas(2))).messages).toBeUndefined();
  const type = 'type { kind name ofType { kind name ofType { kind name ofType { kind name } } } }';
  const short = `types { kind name description fields { name description args { name description defaultValue ${type} } ${type} } }`;
  const ten = await post(`{ ${Array.from({ length: 10 }, (_, n) => `s${n}: __schema { ${short} }`).join(' ')} }`);
  expect(ten).toMatchObject({
    status: 400,
    messages: [expect.stringMatching(/as much of the schema as \d full introspection queries; at most 2/)],
  });
});

test.each([
  ['aliases of one field', `{ __schema { types { ${fieldsTimes(100)} } } }`],
  ['types of fields of types', `{ __schema { types { a: fields { type { fields { type { n: name } } } } ${fieldsTimes(90)} } } }`],
])('an operation whose introspection is larger than two full introspection queries returns an error: %s', async (_, query) => {
  const supergraph = readFileSync('schema/supergraph.graphql', 'utf8');
  const transport = { execute: () => ({}), subscribe: () => ({}), close: async () => undefined };
  const transports = new Map(['identity', 'services', 'billing', 'support', 'monitoring', 'events'].map((name) => [name, transport]));
  const graph = await ExecutableSupergraph.load(supergraph, transports, DEFAULT_LIMITS);
  expect(graph.documents.prepare(query).errors.map(({ message }) => message)).toEqual([
    expect.stringMatching(/full introspection queries; at most 2/),
  ]);
});

test('a repeated introspection query returns the cached result', async () => {
  const ask = async (variables = {}) => (await shop.router.execute({ document: whole, variables, context: caller() })).data;
  expect(await ask()).toBe(await ask());
  const byName = 'query ($name: String!) { __type(name: $name) { name } }';
  const type = async (name: string) => (await shop.router.execute({ document: byName, variables: { name }, context: caller() })).data;
  expect([await type('Person'), await type('Order')]).toEqual([{ __type: { name: 'Person' } }, { __type: { name: 'Order' } }]);
});
