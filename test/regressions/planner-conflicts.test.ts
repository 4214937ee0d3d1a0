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

/** The planner once merged both in one selection and ended the process: `Unexpected conflict`. */
test.each([
  ['arguments', '{ search { ... on Book { cover { thumbnail(width: 1) } } ... on Film { cover { thumbnail(width: 2) } } } }'],
  ['fields under one alias', '{ search { ... on Book { cover { y: url } } ... on Film { cover { y: thumbnail(width: 3) } } } }'],
  [
    'arguments in named fragments',
    '{ search { ...B ...F } } fragment B on Book { cover { ...T } } fragment T on Image { t: thumbnail(width: 1) } fragment F on Film { cover { t: thumbnail(width: 2, format: "jpg") } }',
  ],
])('fragments on different types may select different %s under one response key', async (_, query) => {
  const { ours, expected } = await compared(HARD, query);
  expect(ours.errors).toBeUndefined();
  expect(JSON.stringify(ours.data)).toBe(JSON.stringify(expected.data));
  expect(JSON.stringify(ours.data)).not.toContain('_1_');
});

test('an alias equal to its field name can be selected next to the field without it', async () => {
  const { ours, expected } = await compared(
    WITH_INTERFACE_OBJECTS,
    '{ media { related { by { name } ... on Book { by { name: name } } } } }',
  );
  expect(ours.errors).toBeUndefined();
  expect(ours.data).toEqual(expected.data);
});

test("errors of fields under the same response key have the path of the client's document", async () => {
  const query =
    '{ search { ... on Book { cover { t: url } } ... on Film { c: cover { t: url(secure: true) } } ... on Maker { t: name } } }';
  const { ours } = await compared(HARD, query, 60);
  expect(JSON.stringify([ours.data, ours.errors])).not.toMatch(/_\d_/);
});

test('fields of an interface object are fetched for every selected type', async () => {
  for (const film of ['id', 'rating', 'title']) {
    const { ours, expected } = await compared(WITH_INTERFACE_OBJECTS, `{ rated { ... on Book { rating } ... on Film { ${film} } } }`);
    expect(ours.errors).toBeUndefined();
    expect(ours.data).toEqual(expected.data);
    await world?.router.close();
  }
});

/** The planner once asked the subgraph that knows the interface as an object for a member type, which it does not know. */
test('a recursive field of an interface object is fetched by the name of the interface', async () => {
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

test('an error of an interface object type that is not selected is left out of the response', async () => {
  const { ours, expected } = await compared(
    WITH_INTERFACE_OBJECTS,
    '{ rated { id ... on Book { related { pages: id } } ... on Film { title } } }',
    30,
  );
  const paths = ({ errors = [] }: typeof ours) => errors.map(({ path }) => path?.join('.')).sort();
  expect(paths(ours)).toEqual(paths(expected));
  expect(ours.data).toEqual(expected.data);
});

test('an aliased __typename is the type of the object, even as the only field of an interface or union', async () => {
  const { ours, expected } = await compared(HARD, '{ search { kind: __typename } nodes { ... { kind: __typename } } }');
  expect(ours).toEqual({ data: JSON.parse(JSON.stringify(expected.data)) });
  expect(JSON.stringify(ours.data)).not.toMatch(/"(Hit|Node)"/);
});

test('selections of a field that differ only in the order of arguments are merged', async () => {
  const { ours, expected } = await compared(
    [ORDERED],
    '{ found(by: { text: "a", size: 1 }, last: true) { id } found(last: true, by: { size: 1, text: "a" }) { name } }',
  );
  expect(ours).toEqual({ data: JSON.parse(JSON.stringify(expected.data)) });
  expect(ours.data?.found).toEqual({ id: expect.anything(), name: expect.anything() });
});

test.each([
  ['of an entity', '{ search { ... on Book { id: title reviews { id: text by { code: name } } } } }'],
  [
    'of a required field of another subgraph',
    '{ search { ... on Book { pages: title weight } ... on Maker { code: name reviews { id: text } } } }',
  ],
])('a key is fetched even if an alias has its name: %s', async (_, query) => {
  const { ours, expected } = await compared(HARD, query);
  expect(ours.errors).toBeUndefined();
  expect(JSON.stringify(ours.data)).toBe(JSON.stringify(expected.data));
});
