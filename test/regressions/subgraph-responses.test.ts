import { type ExecutionResult, GraphQLError } from 'graphql';
import { afterEach, expect, test } from 'vitest';
import { createRouter, type Router } from '../../router/router.ts';
import { composeSupergraph } from '../../router/supergraph.ts';
import type { SubgraphRequest, Transport } from '../../router/transport.ts';
import { caller, silent } from '../graphql/fixtures/rig.ts';

const LINK = 'extend schema @link(url: "https://specs.apollo.dev/federation/v2.5", import: ["@key"])\n';
const SDL = {
  people: `type Query { person: Person people: [Person] everyone: [Person!]! count: Int pet: Pet }
    type Person @key(fields: "id") { id: ID! name: String height: Float isActive: Boolean role: Role }
    enum Role { ADMIN BUYER }
    union Pet = Cat | Dog
    type Cat { lives: Int } type Dog { name: String! }`,
  orders: 'type Person @key(fields: "id") { id: ID! orders: [Int!] total: Int! note: String }',
};
const EVERYBODY = [1, 2, 3].map((id) => ({ __typename: 'Person', id: `${id}` }));

let router: Router | undefined;
afterEach(() => router?.close());

type Respond = (request: SubgraphRequest) => ExecutionResult;

async function ask(query: string, people: unknown, orders: unknown = {}) {
  const transport = (response: unknown): Transport => ({
    execute: typeof response === 'function' ? (response as Respond) : () => response as ExecutionResult,
    subscribe: () => ({ errors: [] }),
    close: async () => undefined,
  });
  const supergraphSdl = composeSupergraph(Object.entries(SDL).map(([name, sdl]) => ({ name, sdl: LINK + sdl })));
  const transports = new Map([
    ['people', transport(people)],
    ['orders', transport(orders)],
  ]);
  router = await createRouter({ supergraphSdl, transports, log: silent, errors: { passForeignErrors: true } });
  const { data, errors = [] } = await router.execute({ document: query, context: caller() });
  return { data, errors: errors.map(({ message, path }) => ({ message, path })), paths: errors.map(({ path }) => path?.join('.')) };
}

test.each([
  ['Int', 'count', '{ count }', { count: '7' }],
  ['Int of more than 32 bits', 'count', '{ count }', { count: 2 ** 40 }],
  ['Int with a fraction', 'count', '{ count }', { count: 1.5 }],
  ['Float', 'person.height', '{ person { height } }', { person: { height: '1.8' } }],
  ['Boolean', 'person.isActive', '{ person { isActive } }', { person: { isActive: 1 } }],
  ['String', 'person.name', '{ person { name } }', { person: { name: { first: 'Ada' } } }],
  ['enum', 'person.role', '{ person { role } }', { person: { role: 'KING' } }],
  ['ID', 'person', '{ person { id } }', { person: { id: true } }],
  ['object', 'person', '{ person { name } }', { person: 'Ada' }],
  ['list', 'people', '{ people { name } }', { people: { name: 'Ada' } }],
  ['member of a union', 'pet', '{ pet { ... on Dog { name } } }', { pet: { __typename: 'Person', name: 'Rex' } }],
])('a subgraph value that is not a valid %s is returned as null with an error at its path', async (_, place, query, data) => {
  const response = await ask(query, { data });
  expect(response.errors).toEqual([{ message: expect.stringMatching(/not of the type/), path: expect.any(Array) }]);
  const [field = ''] = place.split('.');
  const value = response.data?.[field] as Record<string, unknown> | null;
  expect(place.includes('.') ? value?.[place.split('.')[1] ?? ''] : value).toBeNull();
});

test('an ID that a subgraph sends as a number is returned as text', async () => {
  expect(await ask('{ person { id } }', { data: { person: { id: 7 } } })).toMatchObject({ data: { person: { id: '7' } }, errors: [] });
});

test('a field that is missing in a subgraph response is null and has an error', async () => {
  const { data, paths } = await ask('{ people { name height } }', { data: { people: [{ name: 'Ada' }, { name: null, height: 1 }] } });
  expect(data).toEqual({
    people: [
      { name: 'Ada', height: null },
      { name: null, height: 1 },
    ],
  });
  expect(paths).toEqual(['people.0.height']);
});

test.each([
  ['too few entities', { data: { _entities: [{ orders: [1] }] } }],
  ['too many entities', { data: { _entities: [{}, {}, {}, {}] } }],
  ['entities that are not objects', { data: { _entities: ['a', 'b', 'c'] } }],
  ['entities that are not a list', { data: { _entities: {} } }],
  ['data without entities', { data: {} }],
  ['text as data', { data: 'none' }],
  ['a list as data', { data: [] }],
  ['null without an error', { data: null }],
  ['nothing', {}],
  ['errors without a path', { data: null, errors: [new GraphQLError('Unavailable')] }],
])('if an entity fetch returns %s, each missing field is null and has an error', async (_, response) => {
  const { data, paths } = await ask('{ people { id orders } }', { data: { people: EVERYBODY } }, response);
  expect(data?.people).toEqual(['1', '2', '3'].map((id) => ({ id, orders: null })));
  expect(paths).toEqual(['people.0.orders', 'people.1.orders', 'people.2.orders']);
});

test('if a fetch of non-null fields fails, each object that becomes null has one error', async () => {
  const failing = () => {
    throw new Error('connect ECONNREFUSED');
  };
  const { data, paths } = await ask('{ people { note total } }', { data: { people: EVERYBODY } }, failing);
  expect(data).toEqual({ people: [null, null, null] });
  expect(paths).toEqual(['people.0.total', 'people.1.total', 'people.2.total']);
  expect((await ask('{ everyone { note total } }', { data: { everyone: EVERYBODY } }, failing)).data).toBeNull();
});

test('a subgraph error without a path is returned once, and null objects cause no additional errors', async () => {
  const failing = { data: null, errors: [new GraphQLError('Unavailable')] };
  const { data, paths } = await ask('{ people { id orders } }', { data: { people: [null] } }, failing);
  expect([data, paths]).toEqual([{ people: [null] }, []]);
  const root = await ask('{ person { name } count }', { data: { person: null, count: null }, errors: [new GraphQLError('Stale')] });
  expect(root).toMatchObject({ data: { person: null, count: null }, errors: [{ message: 'Stale' }] });
});

test('if a fetch of root fields fails, each of the fields is null and has an error', async () => {
  const { data, paths } = await ask('{ person { name } again: count }', () => {
    throw new Error('connect ECONNREFUSED');
  });
  expect(data).toEqual({ person: null, again: null });
  expect(paths).toEqual(['person', 'again']);
});

test('an entity that does not exist is null without an error, and an entity that failed is null with an error', async () => {
  const errors = [new GraphQLError('Broken', { path: ['_entities', 0, 'total'] })];
  const { data, paths } = await ask(
    '{ people { total note } }',
    { data: { people: EVERYBODY } },
    { data: { _entities: [null, null, { total: 3, note: 'x' }] }, errors },
  );
  expect(data).toEqual({ people: [null, null, { total: 3, note: 'x' }] });
  expect(paths).toEqual(['people.0.total']);
});

test('5,000 errors of one entity fetch are returned with the path of each field', async () => {
  const many = Array.from({ length: 5_000 }, (_, id) => ({ __typename: 'Person', id: `${id}` }));
  const errors = many.map((_, index) => new GraphQLError('Broken', { path: ['_entities', index, 'note'] }));
  const _entities = many.map(() => ({ note: null }));
  const { paths } = await ask('{ people { note } }', { data: { people: many } }, { data: { _entities }, errors });
  expect(paths).toHaveLength(5_000);
  expect(paths.at(-1)).toBe('people.4999.note');
});
