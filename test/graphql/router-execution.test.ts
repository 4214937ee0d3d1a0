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
  test('a query over three subgraphs fetches once from each subgraph', async () => {
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

  test('repeated runs of an operation return the same response before and after it is compiled', async () => {
    const query =
      'query ($id: ID!, $isLong: Boolean!) { person(id: $id) { ...on Person { name } role orders @include(if: $isLong) { id } } }';
    const results = [];
    for (let n = 0; n < 3; n++) results.push(await run(query, { id: 'p1', isLong: n < 3 }));
    expect(results[1]).toEqual(results[0]);
    expect(results[2]).toEqual(results[0]);
    expect((await run(query, { id: 'p1', isLong: false })).data).toEqual({ person: { name: 'Ada', role: 'ADMIN' } });
  });

  test('the root fields of a mutation run one after another, and their results can include fields of other subgraphs', async () => {
    const { data } = await run(
      'mutation { a: rename(id: "p2", name: "Joan") { name } b: rename(id: "p2", name: "Grace") { name orders { id } } }',
    );
    expect(data).toEqual({ a: { name: 'Joan' }, b: { name: 'Grace', orders: [{ id: 'o3' }] } });
  });

  test('a subgraph has one resolver context per request, even if the router fetches from it several times', async () => {
    const { data } = await run('{ contextNumber person(id: "p1") { orders { person { contextNumber } } } }');
    const { contextNumber, person } = data as { contextNumber: number; person: { orders: { person: { contextNumber: number } }[] } };
    expect(person.orders.map((order) => order.person.contextNumber)).toEqual([contextNumber, contextNumber]);
    expect((await run('{ contextNumber }')).data?.contextNumber).not.toBe(contextNumber);
  });

  test('operationName selects one operation of a document, and without it a document with two operations returns an error', async () => {
    const document = 'query A { whoAmI } query B { person(id: "p1") { name } }';
    expect((await router.execute({ document, operationName: 'B', context: caller() })).data).toEqual({ person: { name: 'Ada' } });
    const { errors } = await router.execute({ document, context: caller() });
    expect(errors?.[0]?.message).toBe('The document must have one operation, or operationName must name one of them.');
  });

  test('introspection returns the public schema without federation types', async () => {
    const { data } = await run(getIntrospectionQuery());
    const names = (data as unknown as { __schema: { types: { name: string }[] } }).__schema.types.map(({ name }) => name);
    expect(names).toContain('Person');
    expect(names.filter((name) => /join|link|_Any|_Service|_Entity/i.test(name))).toEqual([]);
  });

  test('an operation can select introspection fields and data fields together', async () => {
    const { data } = await run(
      'query Q { ...Both whoAmI } fragment Both on Query { __schema { queryType { name } } person(id: "p1") { name } }',
    );
    expect(data).toEqual({ __schema: { queryType: { name: 'Query' } }, person: { name: 'Ada' }, whoAmI: 'key_1' });
  });
});

describe('router errors', () => {
  test('the router returns a platform error of a subgraph with its code, message and details', async () => {
    const context = caller();
    const { data, errors } = await run('mutation { rename(id: "p9", name: "x") { id } }', {}, context);
    expect(data).toBeNull();
    expect(errors?.[0]).toMatchObject({ message: 'There is no user p9.', path: ['rename'] });
    expect(extensionsOf(errors)).toEqual([
      { code: 'RESOURCE_NOT_FOUND', details: { resource: 'user', id: 'p9' }, request_id: context.requestId },
    ]);
  });

  test('an unexpected error returns INTERNAL_ERROR without internal details, and is logged with its stack and request id', async () => {
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

  test('a missing record in a non-null field returns an error, and the nearest nullable field is null', async () => {
    shop.orders.push({ id: 'o7', personId: 'gone', items: [] });
    const context = caller();
    const { data, errors } = await run('{ order(id: "o7") { id person { name } } whoAmI }', {}, context);
    expect(data).toEqual({ order: null, whoAmI: 'key_1' });
    expect(errors?.[0]?.path).toEqual(['order', 'person']);
    expect(context.lines[0]?.err?.message).toBe('There is no value for order.person, which may not be null.');
    expect((await run('{ strict }')).data).toBeNull();
  });

  test.each([
    ['its syntax', '{ people {', {}, 'query', /Syntax Error/],
    ['its field names', '{ peple { id } }', {}, 'query', /Did you mean "people"/],
    ['a missing variable', 'query ($id: ID!) { person(id: $id) { id } }', {}, 'id', /^id: is required$/],
    [
      'a variable of the wrong type',
      'query ($n: Int) { people(limit: $n) { id } }',
      { n: 'hunter2' },
      'n',
      /^n: Int cannot represent non-integer value$/,
    ],
    [
      "a variable that a subgraph's scalar rejects",
      'query ($day: Day!) { bornOn(day: $day) }',
      { day: 'hunter2' },
      'day',
      /^day: must be a day such as/,
    ],
    ['a subscription over HTTP', 'subscription { orderPlaced { id } }', {}, 'query', /graphql-ws/],
  ])(
    'an operation that is invalid because of %s returns INVALID_PARAMETERS with the field and without the sent value',
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

  test('composing incompatible subgraphs throws a CompositionError with the reason', () => {
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
  ])('an operation that exceeds a limit returns an error that states the limit (%s)', async (_, document, message) => {
    const { errors } = await run(document);
    expect(errors?.map((error) => error.message)).toEqual([expect.stringMatching(message)]);
  });

  test('the cost of an operation is computed from the list sizes in the sent variables', async () => {
    const document = 'query ($limit: Int = 5) { people(limit: $limit) { orders { items { id } } } }';
    expect((await run(document)).errors).toBeUndefined();
    expect((await run(document, { limit: 200 })).errors).toBeUndefined();
    expect((await run(document, { limit: 900 })).errors?.[0]?.message).toMatch(/objects/);
  });

  test('the rate limit weight of an operation is 1 for each query field and 2 for each mutation field', () => {
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
  test('operations with the same text use the same parsed document', () => {
    const text = '{ person(id: "p1") { id } }';
    const { document } = router.prepare(text);
    expect(router.prepare(parse(text)).document).toBe(document);
    expect(router.prepare(text).document).toBe(document);
  });

  test('updating the supergraph prepares the plans of recent operations without fetching from subgraphs', async () => {
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

  test('updating the router with an invalid supergraph throws an error, and the router keeps the previous supergraph', async () => {
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
