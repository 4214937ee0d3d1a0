import { parse } from 'graphql';
import { afterEach, expect, test } from 'vitest';
import type { SubgraphSource } from '../../router/supergraph.ts';
import { HARD, WITH_INTERFACE_OBJECTS } from '../graphql/oracle/hard-graph.ts';
import { createWorld, type World } from '../graphql/oracle/world.ts';

const ORDERED: SubgraphSource = {
  name: 'things',
  url: 'http://things.invalid',
  sdl: `extend schema @link(url: "https://specs.apollo.dev/federation/v2.5", import: ["@key"])
    type Query { found(by: By!, last: Boolean): Thing! }
    input By { text: String size: Int }
    type Thing @key(fields: "id") { id: ID! name: String! }`,
};

let world: World | undefined;
afterEach(() => world?.router.close());

async function compared(subgraphs: readonly SubgraphSource[], query: string, errors = 0, seed = 'a fixed seed') {
  world = await createWorld(subgraphs, seed);
  world.trouble.errors = errors;
  return { ours: await world.ours(query, {}), expected: world.expected(parse(query), {}) };
}

/**
 * Earlier, the planner merged the two fields with the same response key into one selection, and the process crashed
 * with `Unexpected conflict`.
 */
test.each([
  ['arguments', '{ search { ... on Book { cover { thumbnail(width: 1) } } ... on Film { cover { thumbnail(width: 2) } } } }'],
  ['fields under one alias', '{ search { ... on Book { cover { y: url } } ... on Film { cover { y: thumbnail(width: 3) } } } }'],
  [
    'arguments in named fragments',
    '{ search { ...B ...F } } fragment B on Book { cover { ...T } } fragment T on Image { t: thumbnail(width: 1) } fragment F on Film { cover { t: thumbnail(width: 2, format: "jpg") } }',
  ],
])('fragments on different types can select different %s with the same response key', async (_, query) => {
  const { ours, expected } = await compared(HARD, query);
  expect(ours.errors).toBeUndefined();
  expect(JSON.stringify(ours.data)).toBe(JSON.stringify(expected.data));
  expect(JSON.stringify(ours.data)).not.toContain('_1_');
});

test('an alias that equals its field name can be selected next to the same field without an alias', async () => {
  const { ours, expected } = await compared(
    WITH_INTERFACE_OBJECTS,
    '{ media { related { by { name } ... on Book { by { name: name } } } } }',
  );
  expect(ours.errors).toBeUndefined();
  expect(ours.data).toEqual(expected.data);
});

test("the path of an error in a field with a shared response key is the path in the client's document", async () => {
  const query =
    '{ search { ... on Book { cover { t: url } } ... on Film { c: cover { t: url(secure: true) } } ... on Maker { t: name } } }';
  const { ours } = await compared(HARD, query, 60);
  expect(JSON.stringify([ours.data, ours.errors])).not.toMatch(/_\d_/);
});

test('fields of an interface object are returned for every selected type', async () => {
  for (const film of ['id', 'rating', 'title']) {
    const { ours, expected } = await compared(WITH_INTERFACE_OBJECTS, `{ rated { ... on Book { rating } ... on Film { ${film} } } }`);
    expect(ours.errors).toBeUndefined();
    expect(ours.data).toEqual(expected.data);
    await world?.router.close();
  }
});

/**
 * Earlier, the planner asked the subgraph that defines the interface object for the type `Book`, which this subgraph
 * does not have.
 */
test('a field of an interface object that returns its interface can be selected in a fragment on a member type', async () => {
  const { ours, expected } = await compared(
    WITH_INTERFACE_OBJECTS,
    '{ person { favourite { related { __typename } ...Related } } } fragment Related on Book { related { ... on Book { id } } }',
    0,
    'a person whose favourite is a book',
  );
  expect(JSON.stringify(ours.data)).toContain('"id"');
  expect(ours.errors).toBeUndefined();
  expect(ours.data).toEqual(expected.data);
});

test('an error in a field of an @interfaceObject type is not returned if the operation does not select the field for the type of the object', async () => {
  const { ours, expected } = await compared(
    WITH_INTERFACE_OBJECTS,
    '{ rated { id ... on Book { related { pages: id } } ... on Film { title } } }',
    30,
  );
  const paths = ({ errors = [] }: typeof ours) => errors.map(({ path }) => path?.join('.')).sort();
  expect(paths(ours)).toEqual(paths(expected));
  expect(ours.data).toEqual(expected.data);
});

test('an aliased __typename returns the type of the object, even as the only field of an interface or union', async () => {
  const { ours, expected } = await compared(HARD, '{ search { kind: __typename } nodes { ... { kind: __typename } } }');
  expect(ours).toEqual({ data: JSON.parse(JSON.stringify(expected.data)) });
  expect(JSON.stringify(ours.data)).not.toMatch(/"(Hit|Node)"/);
});

test('two selections of a field with the same arguments in a different order are merged', async () => {
  const { ours, expected } = await compared(
    [ORDERED],
    '{ found(by: { text: "a", size: 1 }, last: true) { id } found(last: true, by: { size: 1, text: "a" }) { name } }',
  );
  expect(ours).toEqual({ data: JSON.parse(JSON.stringify(expected.data)) });
  expect(ours.data?.found).toEqual({ id: expect.anything(), name: expect.anything() });
});

test.each([
  ['alias in an entity', '{ search { ... on Book { id: title reviews { id: text by { code: name } } } } }'],
  [
    'alias next to a required field of another subgraph',
    '{ search { ... on Book { pages: title weight } ... on Maker { code: name reviews { id: text } } } }',
  ],
])('a key of an entity is fetched even if an alias has the name of the key: %s', async (_, query) => {
  const { ours, expected } = await compared(HARD, query);
  expect(ours.errors).toBeUndefined();
  expect(JSON.stringify(ours.data)).toBe(JSON.stringify(expected.data));
});
