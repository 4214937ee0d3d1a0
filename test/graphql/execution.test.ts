import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createFixture, type Fixture } from './execution-fixture.ts';

let graph: Fixture;
beforeAll(async () => {
  graph = await createFixture();
});
beforeEach(() => graph.broken.clear());

describe("responses compared with Apollo's gateway", () => {
  const operations: [string, string, Record<string, unknown>?][] = [
    ['with fields of one subgraph', '{ shops { id name kind owner { name } } }'],
    ['with aliases', '{ first: shop(id: "s0") { label: name } second: shop(id: "s1") { label: name kind: name } }'],
    ['for an unknown record', '{ shop(id: "none") { name products { title } } }'],
    ['with fields of two subgraphs', '{ shops { name products { title price } best { title } } }'],
    [
      'with @requires over three subgraphs',
      '{ shops(limit: 2) { products { title cost reviews { text by { name products { title } } } } } }',
    ],
    [
      'with variables and defaults',
      'query ($n: Int = 2, $fast: Boolean) { shops(limit: $n) { products { cost(fast: $fast) } } }',
      { fast: true },
    ],
    [
      'with a field selected twice',
      '{ shop(id: "s1") { products { id } products { title } ...More } } fragment More on Shop { products { price } name }',
    ],
    ['with conflicting arguments under aliases', '{ shop(id: "s1") { products { slow: cost(fast: false) fast: cost(fast: true) } } }'],
    ['on an interface', '{ nearest { __typename name ... on Shop { kind products { title } } } }'],
    ['on a union that is a Product', '{ thing(id: "p1") { __typename ... on Product { title cost } ... on Shop { name } } }'],
    ['on a union that is a Shop', '{ thing(id: "s") { __typename ... on Product { title } ... on Shop { name best { title } } } }'],
    [
      'with @skip and @include',
      'query ($yes: Boolean!, $no: Boolean!) { shops { id @skip(if: $yes) name @include(if: $yes) ... @include(if: $no) { kind } products @skip(if: $no) { title } } }',
      { yes: true, no: false },
    ],
    ['that is a mutation', 'mutation { rename(id: "s1", name: "New") { name products { title } } }'],
    ['with __typename at every level', '{ __typename shops(limit: 1) { __typename products { __typename title } } }'],
  ];
  test.each(operations)(
    "an operation %s returns the same response from the platform's router and from Apollo's gateway",
    async (_, query, variables) => {
      const [ours, theirs] = [await graph.ours(query, variables), await graph.theirs(query, variables)];
      expect(ours.errors?.map(({ message }) => message) ?? []).toEqual(theirs.errors?.map(({ message }) => message) ?? []);
      // the order of the fields must be equal too
      expect(JSON.stringify(ours.data)).toBe(JSON.stringify(theirs.data));
    },
  );
});

test('the router fetches an entity once per operation, even if several objects refer to it', async () => {
  await graph.ours('{ shops { best { title } products { reviews { by { name } } } } }');
  const names = graph.fetches.filter(({ subgraph, variables }) => subgraph === 'shops' && variables.representations);
  expect(names).toHaveLength(1);
  expect(names[0]?.variables.representations).toEqual([{ __typename: 'Shop', id: 's1' }]);
});

test('an error in a field of a fetched entity has the path of the field, and the rest of the data is returned', async () => {
  const { data, errors } = await graph.ours('{ shops(limit: 2) { products { title reviews { text } } } }');
  expect(errors).toHaveLength(1);
  expect(errors?.[0]).toMatchObject({ message: 'reviews of p01 are broken', path: ['shops', 0, 'products', 0, 'reviews'] });
  expect(data).toMatchObject({
    shops: [
      { products: [{ title: 'Product p01', reviews: null }, { reviews: [{ text: 'Fine' }] }] },
      { products: [{ reviews: [{}] }, {}] },
    ],
  });
});

test('nullable fields of a failing subgraph are null, and the response contains its error', async () => {
  graph.broken.add('products');
  const { data, errors } = await graph.ours('{ shop(id: "s0") { name best { title } } }');
  expect(data).toEqual({ shop: { name: 'Shop 0', best: null } });
  expect(errors).toMatchObject([{ message: 'products is unavailable' }]);
  expect(errors).toHaveLength(1);
});

test('if a subgraph fails to return a non-null field, the nearest nullable parent field is null', async () => {
  graph.broken.add('products');
  const { data, errors } = await graph.ours('{ shop(id: "s0") { name products { title } } nearest { name } }');
  expect(data).toEqual({ shop: null, nearest: { name: 'Shop 1' } });
  expect(errors).toHaveLength(1);
  expect((await graph.ours('{ shops { products { title } } }')).data).toBeNull();
});

test('a variable of the wrong type returns an error, and the router fetches nothing from subgraphs', async () => {
  const { data, errors } = await graph.ours('query ($n: Int!) { shops(limit: $n) { id } }', { n: 'two' });
  expect(data).toBeUndefined();
  expect(errors?.[0]?.message).toContain('$n');
  expect(graph.fetches).toHaveLength(0);
});
