import { type GraphQLError, getIntrospectionQuery, parse } from 'graphql';
import { beforeAll, describe, expect, test } from 'vitest';
import type { OperationRecord } from '../../router/observer.ts';
import type { Router } from '../../router/router.ts';
import { CompositionError, composeSupergraph } from '../../router/supergraph.ts';
import { caller, localRouter } from './fixtures/rig.ts';
import { Shop } from './fixtures/shop.ts';

let shop: Shop;
let router: Router;
const operations: OperationRecord[] = [];

beforeAll(async () => {
  shop = new Shop();
  router = await localRouter(shop.subgraphs(), { observer: { operation: (record) => operations.push(record) } });
});

const run = (document: string, variables: Record<string, unknown> = {}, context = caller()) =>
  router.execute({ document, variables, context });

const extensionsOf = (errors: readonly GraphQLError[] | undefined) => errors?.map(({ extensions }) => extensions);

describe('federated execution', () => {
  test('a query is fetched from every subgraph that has its fields, once each', async () => {
    const { data, errors } = await run('{ people { name score orders { id items { id available } } } }');
    expect(errors).toBeUndefined();
    expect(data?.people).toEqual([
      {
        name: 'Ada',
        score: 'ADMIN 2',
        orders: [
          {
            id: 'o1',
            items: [
              { id: 'i1', available: 10 },
              { id: 'i2', available: 20 },
            ],
          },
          { id: 'o2', items: [{ id: 'i2', available: 20 }] },
        ],
      },
      { name: 'Grace', score: 'BUYER 1', orders: [{ id: 'o3', items: [] }] },
    ]);
    expect(operations.at(-1)).toMatchObject({ type: 'query', failed: false, subgraphFetches: { people: 1, orders: 1, stock: 1 } });
  });

  test('compiled and interpreted execution of an operation give the same response', async () => {
    const query =
      'query ($id: ID!, $isLong: Boolean!) { person(id: $id) { ...on Person { name } role orders @include(if: $isLong) { id } } }';
    const results = [];
    for (let n = 0; n < 3; n++) results.push(await run(query, { id: 'p1', isLong: n < 3 }));
    expect(results[1]).toEqual(results[0]);
    expect(results[2]).toEqual(results[0]);
    expect((await run(query, { id: 'p1', isLong: false })).data).toEqual({ person: { name: 'Ada', role: 'ADMIN' } });
  });

  test('root fields of a mutation run one after another and can read through other subgraphs', async () => {
    const { data } = await run(
      'mutation { a: rename(id: "p2", name: "Joan") { name } b: rename(id: "p2", name: "Grace") { name orders { id } } }',
    );
    expect(data).toEqual({ a: { name: 'Joan' }, b: { name: 'Grace', orders: [{ id: 'o3' }] } });
  });

  test('a subgraph creates one resolver context per request, however often it is fetched from', async () => {
    const { data } = await run('{ contextNumber person(id: "p1") { orders { person { contextNumber } } } }');
    const { contextNumber, person } = data as { contextNumber: number; person: { orders: { person: { contextNumber: number } }[] } };
    expect(person.orders.map((order) => order.person.contextNumber)).toEqual([contextNumber, contextNumber]);
    expect((await run('{ contextNumber }')).data?.contextNumber).not.toBe(contextNumber);
  });

  test('operationName selects the operation to run', async () => {
    const document = 'query A { whoAmI } query B { person(id: "p1") { name } }';
    expect((await router.execute({ document, operationName: 'B', context: caller() })).data).toEqual({ person: { name: 'Ada' } });
    const { errors } = await router.execute({ document, context: caller() });
    expect(errors?.[0]?.message).toBe('The document must have one operation, or operationName must name one of them.');
  });

  test('introspection shows the public schema without federation types', async () => {
    const { data } = await run(getIntrospectionQuery());
    const names = (data as unknown as { __schema: { types: { name: string }[] } }).__schema.types.map(({ name }) => name);
    expect(names).toContain('Person');
    expect(names.filter((name) => /join|link|_Any|_Service|_Entity/i.test(name))).toEqual([]);
  });

  test('an operation may select introspection and data together', async () => {
    const { data } = await run(
      'query Q { ...Both whoAmI } fragment Both on Query { __schema { queryType { name } } person(id: "p1") { name } }',
    );
    expect(data).toEqual({ __schema: { queryType: { name: 'Query' } }, person: { name: 'Ada' }, whoAmI: 'key_1' });
  });
});

describe('router errors', () => {
  test('a platform error keeps its code, message and details through the router', async () => {
    const context = caller();
    const { data, errors } = await run('mutation { rename(id: "p9", name: "x") { id } }', {}, context);
    expect(data).toBeNull();
    expect(errors?.[0]).toMatchObject({ message: 'There is no user p9.', path: ['rename'] });
    expect(extensionsOf(errors)).toEqual([
      { code: 'RESOURCE_NOT_FOUND', details: { resource: 'user', id: 'p9' }, request_id: context.requestId },
    ]);
  });

  test('an unexpected error is logged with stack and request id, and the response reveals nothing internal', async () => {
    const context = caller();
    const { data, errors } = await run('{ whoAmI order(id: "o1") { id secret } }', {}, context);
    expect(data).toEqual({ whoAmI: 'key_1', order: { id: 'o1', secret: null } });
    expect(JSON.stringify(errors)).not.toContain('ECONNREFUSED');
    expect(extensionsOf(errors)).toEqual([{ code: 'INTERNAL_ERROR', details: {}, request_id: context.requestId }]);
    expect(context.lines).toHaveLength(1);
    expect(context.lines[0]).toMatchObject({
      request_id: context.requestId,
      err: { message: expect.stringContaining('ECONNREFUSED'), at: expect.arrayContaining([expect.stringContaining('shop.ts')]) },
    });
  });

  test('a missing referenced record in a non-null field moves null up and is an error', async () => {
    shop.orders.push({ id: 'o7', personId: 'gone', items: [] });
    const context = caller();
    const { data, errors } = await run('{ order(id: "o7") { id person { name } } whoAmI }', {}, context);
    expect(data).toEqual({ order: null, whoAmI: 'key_1' });
    expect(errors?.[0]?.path).toEqual(['order', 'person']);
    expect(context.lines[0]?.err?.message).toBe('There is no value for order.person, which may not be null.');
    expect((await run('{ strict }')).data).toBeNull();
  });

  test.each([
    ['syntax', '{ people {', {}, 'query', /Syntax Error/],
    ['validation', '{ peple { id } }', {}, 'query', /Did you mean "people"/],
    ['a missing variable', 'query ($id: ID!) { person(id: $id) { id } }', {}, 'id', /^id: is required$/],
    [
      'a variable of the wrong type',
      'query ($n: Int) { people(limit: $n) { id } }',
      { n: 'hunter2' },
      'n',
      /^n: Int cannot represent non-integer value$/,
    ],
    [
      "a variable that a subgraph's scalar refuses",
      'query ($day: Day!) { bornOn(day: $day) }',
      { day: 'hunter2' },
      'day',
      /^day: must be a day such as/,
    ],
    ['a subscription over the wrong way', 'subscription { orderPlaced { id } }', {}, 'query', /graphql-ws/],
  ])(
    'an operation with an error in %s gets INVALID_PARAMETERS naming the problem without repeating it',
    async (_, document, variables, field, message) => {
      const context = caller();
      const { errors } = await run(document, variables, context);
      expect(errors).toHaveLength(1);
      expect(errors?.[0]?.message).toMatch(message);
      expect(extensionsOf(errors)).toEqual([
        {
          code: 'INVALID_PARAMETERS',
          details: expect.objectContaining({ field, reason: expect.any(String) }),
          request_id: context.requestId,
        },
      ]);
      expect(JSON.stringify(errors)).not.toContain('hunter2');
      expect(context.lines).toEqual([]);
    },
  );

  test('subgraphs that cannot be composed are refused with every reason', () => {
    const broken = () =>
      composeSupergraph([
        { name: 'a', sdl: 'type Query { x: Int }' },
        { name: 'b', sdl: 'type Query { x: String }' },
      ]);
    expect(broken).toThrow(CompositionError);
    expect(broken).toThrow(/The subgraphs do not compose:\n- .*Query\.x/);
    expect(() => composeSupergraph([{ name: 'a', sdl: 'type Query {' }])).toThrow(/\[a\] Syntax Error/);
  });
});

describe('operation limits', () => {
  test.each([
    ['depth', `{ person(id: "p1") ${'{ orders { person '.repeat(6)} { id } ${'} }'.repeat(6)} }`, /14 fields deep; at most 12/],
    [
      'fields, counted through fragments',
      `query { ...A ...A } fragment A on Query { ${fields(30)} ${'...B '.repeat(5)} } fragment B on Query { person(id: "p1") { ${names(60)} } }`,
      /at most 500/,
    ],
    ['aliases', `{ person(id: "p1") { ${Array.from({ length: 301 }, (_, n) => `a${n}: id`).join(' ')} } }`, /301 aliases; at most 300/],
    ['root fields', `{ ${Array.from({ length: 51 }, (_, n) => `a${n}: whoAmI`).join(' ')} }`, /51 root fields; at most 50/],
    ['tokens', `{ ${'whoAmI '.repeat(5_001)} }`, /more than? 5000 tokens|more that 5000 tokens/],
    ['cost by list sizes', '{ people(limit: 1000) { orders { items { id } } } }', /could have \d+ objects; at most 250000/],
  ])('an operation beyond the limit is refused: %s', async (_, document, message) => {
    const { errors } = await run(document);
    expect(errors?.map((error) => error.message)).toEqual([expect.stringMatching(message)]);
  });

  test('the cost of an operation depends on the sent variables', async () => {
    const document = 'query ($limit: Int = 5) { people(limit: $limit) { orders { items { id } } } }';
    expect((await run(document)).errors).toBeUndefined();
    expect((await run(document, { limit: 200 })).errors).toBeUndefined();
    expect((await run(document, { limit: 900 })).errors?.[0]?.message).toMatch(/objects/);
  });

  test('an operation weighs 1 for each query field and 2 for each mutation field', () => {
    const price = (document: string, operationName?: string) => {
      const admitted = router.admit({ document, operationName, context: caller() });
      return 'operation' in admitted ? admitted.operation.price : undefined;
    };
    expect(price('{ a: whoAmI b: whoAmI __typename }')).toEqual({
      weight: 2,
      requests: 2,
      fields: ['whoAmI', 'whoAmI', '__typename'],
    });
    expect(price('mutation { rename(id: 1, name: "x") { id } deletePerson(id: 1) { id } }')?.weight).toBe(4);
    const named = 'query A { whoAmI } mutation B { ...F } fragment F on Mutation { deletePerson(id: 1) { id } }';
    expect(price(named, 'B')).toEqual({ weight: 2, requests: 1, fields: ['deletePerson'] });
    expect(price('{ __typename }')?.weight).toBe(1);
    expect(price('{ nothing }')).toBeUndefined();
  });
});

describe('documents and supergraphs', () => {
  test('equal operation texts share one parsed document', () => {
    const text = '{ person(id: "p1") { id } }';
    const { document } = router.prepare(text);
    expect(router.prepare(parse(text)).document).toBe(document);
    expect(router.prepare(text).document).toBe(document);
  });

  test('a new supergraph takes over with prepared plans of recent operations, without fetching from subgraphs', async () => {
    const own = new Shop();
    const fetched: string[] = [];
    const updated = await localRouter(own.subgraphs(), { observer: { fetch: ({ subgraph }) => fetched.push(subgraph) } });
    const document = '{ people { name orders { id } } }';
    await updated.execute({ document, context: caller() });
    const before = fetched.length;
    const { schema } = updated;

    await updated.update(updated.supergraphSdl);
    expect(fetched).toHaveLength(before);
    expect(updated.schema).not.toBe(schema);
    expect((await updated.execute({ document, context: caller() })).errors).toBeUndefined();
    await updated.close();
  });

  test('an invalid supergraph is refused, and the old one stays in use', async () => {
    await expect(router.update('type Query { x: Int }')).rejects.toThrow(/no join__Graph/);
    expect((await run('{ whoAmI }')).data).toEqual({ whoAmI: 'key_1' });
  });
});

function fields(count: number): string {
  return Array.from({ length: count }, () => 'whoAmI').join(' ');
}
function names(count: number): string {
  return Array.from({ length: count }, () => 'name').join(' ');
}
