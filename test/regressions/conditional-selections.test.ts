import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Router } from '../../router/router.ts';
import { caller, localRouter } from '../graphql/fixtures/rig.ts';
import { Shop } from '../graphql/fixtures/shop.ts';
import { rig } from '../rig.ts';

let router: Router;
beforeAll(async () => {
  router = await localRouter(new Shop().subgraphs());
});
afterAll(() => router.close());

const run = (document: string, variables = {}) => router.execute({ document, variables, context: caller() });

test('a fragment with @include(if: false) adds no fields, and the other fields of the operation are still returned', async () => {
  const tenant = await (await rig()).organization();
  const query =
    'query ($full: Boolean!) { accounts { nodes { id } pageInfo { hasMore } ...Full @include(if: $full) } } fragment Full on AccountPage { pageInfo { total } }';
  const short = await tenant.graphql(query, { full: false });
  expect(short.errors).toBeUndefined();
  expect(short.data.accounts.pageInfo).toEqual({ hasMore: false });
  const { data } = await tenant.graphql(query, { full: true });
  expect(Object.keys(data.accounts.pageInfo)).toEqual(['hasMore', 'total']);
});

describe('fields selected twice with a condition', () => {
  const person = 'person(id: "p1")';
  test.each([
    ['directly on the second selection', `query ($c: Boolean!) { ${person} { name } ${person} @include(if: $c) { score } }`],
    ['on an inline fragment', `query ($c: Boolean!) { ${person} { name } ... @include(if: $c) { ${person} { score } } }`],
    [
      'on a named fragment',
      `query ($c: Boolean!) { ${person} { name } ...F @include(if: $c) } fragment F on Query { ${person} { score } }`,
    ],
    [
      'inside another condition',
      `query ($c: Boolean! = true) { ${person} { name } ${person} @include(if: true) { score @include(if: $c) } }`,
    ],
  ])('if a field is selected again with @include %s, the second selection is returned only if the condition is true', async (_, query) => {
    expect(await run(query, { c: false })).toEqual({ data: { person: { name: 'Ada' } } });
    expect(await run(query, { c: true })).toEqual({ data: { person: { name: 'Ada', score: 'ADMIN 2' } } });
  });

  test('a conditional field is returned at the position of its first included selection', async () => {
    const query = `query ($c: Boolean!) { ${person} { id @include(if: $c) name id } whoAmI @skip(if: $c) contextNumber whoAmI }`;
    const keys = async (c: boolean) => {
      const { data } = await run(query, { c });
      return [Object.keys(data ?? {}), Object.keys((data?.person as object | undefined) ?? {})];
    };
    expect(await keys(true)).toEqual([
      ['person', 'contextNumber', 'whoAmI'],
      ['id', 'name'],
    ]);
    expect(await keys(false)).toEqual([
      ['person', 'whoAmI', 'contextNumber'],
      ['name', 'id'],
    ]);
  });
});

test.each([
  ['a query', '{ whoAmI @skip(if: true) }', {}],
  [
    'a query with a variable',
    'query ($c: Boolean!) { whoAmI @include(if: $c) ...F @include(if: $c) } fragment F on Query { broken }',
    { c: false },
  ],
  ['a mutation', 'mutation { rename(id: "p1", name: "No") @include(if: false) { id } }', {}],
])('an operation whose fields are all excluded returns empty data and calls no subgraph: %s', async (_, query, variables) => {
  expect(await run(query, variables)).toEqual({ data: {} });
  expect((await run('{ person(id: "p1") { name } }')).data?.person).toEqual({ name: 'Ada' });
});

test('an object whose selected fields are all excluded is returned as an empty object', async () => {
  expect(
    await run('{ person(id: "p1") { name @skip(if: true) } people { ...F } } fragment F on Person { id @include(if: false) }'),
  ).toEqual({
    data: { person: {}, people: [{}, {}] },
  });
});

test('a subscription whose fields are all excluded returns an error with the reason', async () => {
  const follow = (document: string, variables = {}) => router.subscribe({ document, variables, context: caller() });
  const reason = expect.stringMatching(/all of its fields are skipped/);
  expect(await follow('subscription { orderPlaced @skip(if: true) { id } }')).toMatchObject({ errors: [{ message: reason }] });
  const query = 'subscription ($c: Boolean!) { ...F @include(if: $c) } fragment F on Subscription { orderPlaced { id } }';
  expect(await follow(query, { c: false })).toMatchObject({ errors: [{ message: reason }] });
});

test('null for a condition variable returns INVALID_PARAMETERS with the name of the variable', async () => {
  const { data, errors } = await run('query ($c: Boolean = true) { whoAmI @include(if: $c) }', { c: null });
  expect(data).toBeUndefined();
  expect(errors?.[0]?.extensions).toMatchObject({ code: 'INVALID_PARAMETERS', details: { errors: [{ field: 'c' }] } });
});

test('root fields that a condition excludes do not count towards the rate limit', () => {
  const priced = (variables: object) => {
    const document = 'query ($c: Boolean!) { whoAmI people { id } ...F @include(if: $c) } fragment F on Query { broken strict }';
    const admitted = router.admit({ document, variables: variables as Record<string, unknown>, context: caller() });
    return 'errors' in admitted ? admitted.errors : admitted.operation.price.fields;
  };
  expect(priced({ c: true })).toEqual(['whoAmI', 'people', 'broken', 'strict']);
  expect(priced({ c: false })).toEqual(['whoAmI', 'people']);
});

test('introspection fields and data fields of one operation are returned in the order of the selection', async () => {
  const { data } = await run(
    '{ a: whoAmI __schema { queryType { name } } b: whoAmI t: __typename __type(name: "Person") { name } c: whoAmI }',
  );
  expect(Object.keys(data ?? {})).toEqual(['a', '__schema', 'b', 't', '__type', 'c']);
});
