import { readFileSync } from 'node:fs';
import { type GraphQLField, getNamedType, isNonNullType, isObjectType } from 'graphql';
import { beforeAll, describe, expect, test } from 'vitest';
import { newId } from '../../kernel/records/ids.ts';
import { permissionsIn } from '../../rest-bridge/permission.ts';
import { pathParameters } from '../../rest-bridge/route.ts';
import { lineItem } from '../bulk.setup.ts';
import { eventually, rig } from '../rig.ts';
import { given } from '../support/literals.ts';
import { bodyFields, hasRecordParameter, isOperators, operationOf, routes, titled, withField } from '../support/operations.ts';
import { alternatives, recordKinds } from '../support/record-kinds.ts';
import { namesRecord, Records } from '../support/records.ts';
import { relationsOf } from '../support/selections.ts';
import { onlyTable } from '../support/tables.ts';
import type { Json, RestResponse } from '../tenant.ts';
import { openTicket } from '../ticket.setup.ts';

/** A text in every record of the owner. No response to the intruder may contain it. */
const LABEL = 'Only the owner reads this';
const NAMES = Object.keys(recordKinds);
/** Returns the permission that a GraphQL field requires. Operator fields are tested in test/security/operators.test.ts. */
const permissionOf = permissionsIn(readFileSync('schema/supergraph.graphql', 'utf8'));
const isOperatorsField = (root: string, name: string) => permissionOf(`${root}.${name}`)?.startsWith('platform:') ?? false;

let owner: Records;
let intruder: Records;
/** All records of the owner before the requests of the intruder. */
let before: Json;
beforeAll(async () => {
  const { organization } = await rig();
  owner = new Records(await organization({ plan: 'custom' }), LABEL);
  intruder = new Records(await organization({ plan: 'custom' }), 'The intruder');
  for (const name of NAMES) await Promise.all([owner.id(name), intruder.id(name)]);
  const exempt = 'mutation ($of: ID!) { setTaxExemption(accountId: $of, input: { reason: "Reverse charge" }) { reason } }';
  for (const one of [owner, intruder]) await one.tenant.graphql(exempt, { of: await one.id('account_id') });
  before = await everything();
});

const everything = async (names = NAMES): Promise<Json> =>
  Object.fromEntries(await Promise.all(names.map(async (name) => [name, await owner.read(name)])));

/**
 * Checks that the owner's records of the kinds `names` are unchanged. Without `names`, checks all kinds. Each group of tests
 * does that only once, because reads count against the owner's rate limit.
 */
async function expectUnchanged(names?: string[]): Promise<void> {
  const known = names?.filter((name) => NAMES.includes(name));
  expect(await everything(known)).toEqual(known ? Object.fromEntries(known.map((name) => [name, before[name]])) : before);
}

describe('records of another organization over REST', () => {
  const named = routes.filter((route) => hasRecordParameter(route, namesRecord) && !isOperators(route));

  test.each(titled(named))('a request for a record of another organization returns 404: %s', async (_, route) => {
    const path = await owner.path(route.path);
    const body = route.example && (await intruder.body(route.example));
    const response = await intruder.tenant.rest(route.method, path, { body });
    expect(response.body).toMatchObject({ error: { code: 'RESOURCE_NOT_FOUND' } });
    expect(response.status).toBe(404);
    expect(JSON.stringify(response.body)).not.toContain(LABEL);
    await expectUnchanged(pathParameters(route.path));
  });

  test('REST requests for records of another organization do not change these records', () => expectUnchanged());

  test("the response for an id of another organization's record is the same as for an id that does not exist", async () => {
    for (const route of named) {
      const ask = async (id: (name: string) => Promise<string>) => {
        const body = route.example && (await intruder.body(route.example));
        const path = await owner.path(route.path, id);
        const response = await intruder.tenant.rest(route.method, path, { body });
        let text = JSON.stringify(response.body.error);
        for (const name of pathParameters(route.path)) text = text.replaceAll(await id(name), 'THE_ID');
        const { request_id: _, ...error } = JSON.parse(text);
        return { status: response.status, error };
      };
      const absent = async (name: string) => `${(await owner.id(name)).split('_', 1)[0]}_01JQ8Z6V4T9M3N2B1C0D9E8F7G`;
      expect(await ask((name) => owner.id(name)), route.operationId).toEqual(await ask(absent));
    }
  });
});

describe('ids of another organization in a body', () => {
  const cases = routes
    // ids in the body of a search are filters, and ids in a bulk or in usage events are items: all have separate tests
    .filter(
      (route) =>
        operationOf(route).requestBody && !/tickets\/search|services\/bulk|billing\/usage$|monitoring\/logs\/search/.test(route.path),
    )
    .flatMap((route) =>
      bodyFields(route, namesRecord).map((member) => [`${route.method} ${route.path}: ${member.join('.')}`, route, member] as const),
    );

  test.each(cases)("a request whose body contains the id of another organization's record returns 404: %s", async (_, route, member) => {
    const name = member.at(-1) as string;
    const path = await intruder.path(route.path);
    const { [alternatives[name] ?? '']: _replaced, ...own } = await intruder.body(route.example);
    const response = await intruder.tenant.rest(route.method, path, { body: withField(own, member, await owner.id(name)) });
    expect(response.body).toMatchObject({ error: { code: 'RESOURCE_NOT_FOUND' } });
    expect(response.status).toBe(404);
    expect(JSON.stringify(response.body)).not.toContain(LABEL);
    await expectUnchanged([name]);
  });

  test("bulk items for another organization's records get RESOURCE_NOT_FOUND, and another organization's bulk returns 404", async () => {
    const [account, service, bulk] = [await owner.id('account_id'), await owner.id('service_id'), await owner.id('bulk_id')];
    const send = (path: string, body: object): Promise<RestResponse> => intruder.tenant.rest('POST', `/services/bulk/${path}`, { body });
    const items = [
      ...(await send('provision', { services: [lineItem({ account_id: account })] })).body.data.items,
      ...(await send('modify', { service_ids: [service], sla: 'business' })).body.data.items,
      ...(await send('modify', { services: [{ service_id: service, sla: 'business' }] })).body.data.items,
      ...(await send('status', { service_ids: [service] })).body.data.services,
    ];
    expect(items.map(({ error }: Json) => error.code)).toEqual(Array.from({ length: 4 }, () => 'RESOURCE_NOT_FOUND'));
    expect((await send('status', { bulk_id: bulk })).status).toBe(404);
    await expectUnchanged(['service_id']);
  });

  test("requests whose body contains the id of another organization's record do not change this record", () => expectUnchanged());

  test('the tests of ids in request bodies cover more than three fields', () => {
    expect(cases.length).toBeGreaterThan(3);
  });
});

describe('lists of another organization', () => {
  const lists = routes.filter((route) => route.method === 'GET' && !hasRecordParameter(route, namesRecord) && !isOperators(route));

  test.each(titled(lists))(
    'a list contains no record of another organization, even if a query parameter is the id of such a record: %s',
    async (_, route) => {
      const path = await intruder.path(route.path);
      // the log repeats the ids in refused requests, which the intruder itself has sent
      const plain = await intruder.tenant.rest('GET', path === '/monitoring/logs' ? `${path}?query=-source:request` : path);
      expect(plain.status).toBe(200);
      await expectNothingOfOwner(plain.body);

      for (const { name, in: place } of operationOf(route).parameters) {
        if (place !== 'query' || !namesRecord(name)) continue;
        const id = await owner.id(name);
        const response = await intruder.tenant.rest('GET', `${path}?${name}=${id}`);
        expect([200, 404]).toContain(response.status);
        expect(Object.values(response.body).filter((member) => Array.isArray(member) && member.length > 0)).toEqual([]);
        expect(JSON.stringify(response.body)).not.toContain(LABEL);
      }
    },
  );

  test('a ticket search by the id of a customer, service or agent of another organization returns an empty list', async () => {
    const search = routes.find(({ operationId }) => operationId === 'postTicketSearch');
    for (const name of ['customer_id', 'service_affected', 'assigned_to']) {
      const body = { filters: { [name]: [await owner.id(name)] } };
      const { status, body: found } = await intruder.tenant.rest('POST', search?.path ?? '', { body });
      expect(status, JSON.stringify(found)).toBe(200);
      expect(found.tickets).toEqual([]);
    }
  });
});

async function expectNothingOfOwner(response: Json): Promise<void> {
  const text = JSON.stringify(response);
  expect(text).not.toContain(LABEL);
  for (const name of NAMES) expect(text, name).not.toContain(await owner.id(name));
}

type Field = GraphQLField<unknown, unknown>;
const isId = (type: unknown): boolean => String(type).startsWith('ID');

describe('records of another organization over GraphQL', async () => {
  const { assembly, advance } = await rig();
  // each test reads all records twice, which would exceed the hourly limit of billing operations
  beforeAll(() => advance(3_600_000));
  const { schema } = assembly.router;
  const naming = (root: 'getQueryType' | 'getMutationType') =>
    Object.values(schema[root]()?.getFields() ?? {})
      .filter(
        ({ name, args }) =>
          !isOperatorsField(root === 'getQueryType' ? 'Query' : 'Mutation', name) &&
          args.some(({ type }) => isNonNullType(type) && isId(type)),
      )
      .map((field) => [field.name, field] as const);

  test.each(naming('getQueryType'))('the query %s returns null for a record of another organization', async (_, field) => {
    const query = operation('query', field);
    const own = await owner.tenant.graphql(query, await idsOf(field));
    expect(own.errors).toBeUndefined();
    expect(own.data[field.name]).not.toBeNull();

    const { data, errors = [] } = await intruder.tenant.graphql(query, await idsOf(field));
    expect(data?.[field.name] ?? null).toBeNull();
    for (const { extensions } of errors) expect(extensions.code).toBe('RESOURCE_NOT_FOUND');
    expect(isNonNullType(field.type) || errors.length === 0).toBe(true);
  });

  test.each(naming('getQueryType'))(
    "the query %s returns null for a record of another organization even if the query also reads a record of the caller's organization",
    async (_, field) => {
      const [own, other] = [await idsOf(field, intruder), await idsOf(field)].map((ids) => called(field, quoted(ids)));
      const { data, errors = [] } = await intruder.tenant.graphql(`{ own: ${own} other: ${other} }`);
      expect(data?.other ?? null).toBeNull();
      for (const { path, extensions } of errors) expect([path, extensions.code]).toEqual([['other'], 'RESOURCE_NOT_FOUND']);
      if (!isNonNullType(field.type)) expect(data.own).not.toBeNull();
    },
  );

  test.each(naming('getMutationType'))(
    'the mutation %s returns RESOURCE_NOT_FOUND for a record of another organization',
    async (_, field) => {
      const { data, errors } = await intruder.tenant.graphql(operation('mutation', field), await idsOf(field));
      expect(data?.[field.name] ?? null).toBeNull();
      expect(errors).toMatchObject([{ extensions: { code: 'RESOURCE_NOT_FOUND' } }]);
      await expectUnchanged(idArguments(field).map((name) => recordOf(field, name)));
    },
  );

  test('GraphQL operations on records of another organization do not change these records', () => expectUnchanged());

  test("a live subscription delivers only events of the caller's organization", async () => {
    const stranger = await (await rig()).organization({ plan: 'custom' });
    const socket = intruder.tenant.socket();
    try {
      const stream = socket.iterate<Json>({ query: 'subscription { events { organizationId subjectId } }' });
      const next = stream.next();
      // the subscription may start after the first change, so the changes are repeated until an event arrives
      await eventually(async () => {
        await openTicket(stranger);
        await intruder.tenant.rest('PUT', await intruder.path('/support/tickets/{ticket_id}'), {
          body: { customer_update: newId('request') },
        });
        return Promise.race([next.then(() => true), new Promise((resolve) => setImmediate(resolve, false))]);
      });
      const { value } = await next;
      expect(value.data.events).toEqual({ organizationId: intruder.tenant.organizationId, subjectId: await intruder.id('ticket_id') });
    } finally {
      await socket.dispose();
    }
  });
});

const idArguments = ({ args }: Field): string[] => args.filter(({ type }) => isNonNullType(type) && isId(type)).map(({ name }) => name);

/** The ids for the arguments of a field, by default ids of the owner's records. */
const idsOf = async (field: Field, records = owner): Promise<Record<string, string>> =>
  Object.fromEntries(await Promise.all(idArguments(field).map(async (name) => [name, await records.id(recordOf(field, name))])));

/** The kind of record that an argument refers to. For `id`, the route of the field determines the kind. */
function recordOf({ name, args }: Field, argument: string): string {
  if (argument !== 'id') return snake(argument);
  const inPath = routes.filter(({ field }) => field === name).flatMap(({ path }) => pathParameters(path));
  const ofRoute = inPath.find((parameter) => !args.some((other) => snake(other.name) === parameter));
  const known = ofRoute ?? NAMES.find((kind) => recordKinds[kind]?.withoutRoute?.includes(name));
  if (known) return known;
  throw new Error(
    `No route says what the id of ${name} names: add ${name} to \`withoutRoute\` of its kind in test/support/record-kinds.ts.`,
  );
}

const snake = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** An operation with the field, its ids as variables and its other required arguments. */
function operation(kind: 'query' | 'mutation', field: Field): string {
  const names = idArguments(field);
  const call = called(field, Object.fromEntries(names.map((name) => [name, `$${name}`])));
  return `${kind} (${names.map((name) => `$${name}: ID!`).join(', ')}) { ${call} }`;
}

const quoted = (ids: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(ids).map(([name, id]) => [name, JSON.stringify(id)]));

function called(field: Field, ids: Record<string, string>): string {
  const named = getNamedType(field.type);
  const selection = isObjectType(named) && named.getFields().id ? '{ id }' : '{ __typename }';
  return `${field.name}${given(field, (type, name) => (isId(type) ? ids[name] : undefined))} ${selection}`;
}

/**
 * References are checked when they are written. If a stored reference still points to another organization, it must
 * resolve to null, because each subgraph resolves references with the caller's permissions.
 */
describe('references to another organization', async () => {
  const { assembly } = await rig();
  const { schema } = assembly.router;
  const PLANTED = [
    ['support.ticket', 'ticket', { customer_id: 'customer_id', service_affected: 'service_id' }],
    ['services.service', 'service', { account_id: 'account_id' }],
    ['services.provisioning_request', 'provisioningRequest', { account_id: 'account_id', service_id: 'service_id' }],
    ['billing.invoice', 'invoice', { account_id: 'account_id' }],
    ['billing.invoice_line', 'invoice', { service_id: 'service_id' }],
    ['events.event_log', 'event', { subject_id: 'ticket_id' }],
  ] as const;

  test.each(PLANTED)('a reference stored in %s to a record of another organization resolves to null', async (table, root, columns) => {
    const field = schema.getQueryType()?.getFields()[root] as Field;
    const rows = await onlyTable(table);
    const stranger = new Records(await (await rig()).organization({ plan: 'custom' }), 'The stranger');
    const id = await stranger.id(recordOf(field, 'id'));
    const key = table === 'billing.invoice_line' ? 'invoice_id' : 'id';
    for (const [column, kind] of Object.entries(columns)) await rows.set(column, await owner.id(kind), key, id);

    // an event refers to every kind of record; two levels of relations would exceed the field limit of a query
    const responses = relationsOf(field.type, root === 'event' ? 1 : 2).map((selection) =>
      stranger.tenant.graphql(`query ($id: ID!) { ${root}(id: $id) ${selection} }`, { id }),
    );
    const text = JSON.stringify(await Promise.all(responses));
    // the query was executed, not rejected
    expect(text).not.toContain('INVALID_PARAMETERS');
    expect(text).not.toContain(LABEL);
    // records that are not referenced by the changed columns must not appear either
    const planted: string[] = Object.values(columns);
    for (const other of ['ticket_id', 'invoice_id', 'event_id'])
      if (!planted.includes(other)) expect(text).not.toContain(await owner.id(other));
  });
});
