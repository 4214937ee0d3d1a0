import { execute, type GraphQLField, type GraphQLSchema, getNamedType, isNonNullType, isObjectType, isUnionType, parse } from 'graphql';
import { decodeJwt } from 'jose';
import { beforeAll, describe, expect, test } from 'vitest';
import { Principal } from '../../kernel/access/principal.ts';
import { idempotencyScope } from '../../kernel/idempotency/idempotency.ts';
import { createLogger } from '../../kernel/log/log.ts';
import { permissionsIn, policiesIn } from '../../rest-bridge/permission.ts';
import { pathParameters } from '../../rest-bridge/route.ts';
import { signPrincipal, verifyPrincipal } from '../../router/principal-header.ts';
import { createAccount, orderService } from '../billing.setup.ts';
import { clientToken, registered, tokensOf } from '../oauth.setup.ts';
import { eventually, rig } from '../rig.ts';
import { given } from '../support/literals.ts';
import { hasRecordParameter, operationOf, routes, titled } from '../support/operations.ts';
import { recordKinds } from '../support/record-kinds.ts';
import { namesRecord, Records } from '../support/records.ts';
import { pathsOf } from '../support/selections.ts';
import { onlyTable } from '../support/tables.ts';
import { type Json, type RestResponse, Tenant } from '../tenant.ts';
import { userOf } from '../users.setup.ts';

/** A text in every record of the first account. No response to the second account's key may contain it. */
const LABEL = 'Only the first account reads this';
const NAMES = Object.keys(recordKinds);
/** Kinds of records that all accounts of the organization share. */
const SHARED = new Set(['article_id']);
/** Query fields that read one record by its id. The tests of nested records create a record for each of them. */
const READ_BY_ID = new Set(['account', 'service', 'invoice', 'ticket', 'event']);
/** True for knowledge base paths: their records belong to the whole organization, so every caller may read them. */
const isOpen = (path: string): boolean => /^\/support\/(kb|knowledge|faq)/.test(path);

/** Records of the first account, with a key that has access to the whole organization. */
let owner: Records;
/** A key with all permissions, limited to the second account. */
let limited: Tenant;
let accountId: string;
/**
 * True for operations that need an operator permission. They return 403 to a limited caller before its accounts are
 * checked.
 */
let isOperators: (coordinate: string) => boolean;
let isOrganizationWide: (coordinate: string) => boolean;
let before: Json;

beforeAll(async () => {
  const { organization, assembly } = await rig();
  const tenant = await organization({ plan: 'custom' });
  owner = new Records(tenant, LABEL);
  for (const name of NAMES) await owner.id(name);
  accountId = (await createAccount(tenant, 'Second')).id;
  limited = await limitedTo(tenant, accountId);
  const hasPolicy = policiesIn(assembly.router.supergraphSdl);
  isOrganizationWide = (coordinate) => hasPolicy(coordinate, 'organization');
  const permissionOf = permissionsIn(assembly.router.supergraphSdl);
  isOperators = (coordinate) => permissionOf(coordinate)?.startsWith('platform:') ?? false;
  before = await everything();
});

async function limitedTo(tenant: Tenant, ...accounts: string[]): Promise<Tenant> {
  const body = { name: 'Limited', permissions: ['*:*'], accounts };
  const response = await tenant.rest('POST', '/auth/api-keys', { body });
  expect(response.status, JSON.stringify(response.body)).toBe(201);
  expect(response.body.api_key.accounts).toEqual(accounts);
  return new Tenant(tenant.origin, tenant.organizationId, response.body.api_key.key);
}

const everything = async (): Promise<Json> =>
  Object.fromEntries(await Promise.all(NAMES.map(async (name) => [name, await owner.read(name)])));

const refused = { code: 'INSUFFICIENT_PERMISSIONS', details: { reason: 'account_scope' } };

async function expectNothingOfOwner(response: unknown): Promise<void> {
  const text = JSON.stringify(response);
  expect(text).not.toContain(LABEL);
  for (const name of NAMES) if (!SHARED.has(name)) expect(text, name).not.toContain(await owner.id(name));
}

describe('records of another account over REST', () => {
  const named = routes.filter((route) => hasRecordParameter(route, namesRecord) && !isOpen(route.path));

  test.each(titled(named))('a caller limited to one account gets 404 or 403 for a record of another account: %s', async (_, route) => {
    const path = await owner.path(route.path);
    const body = route.example && (await owner.body(route.example));
    const response = await limited.rest(route.method, path, { body });
    const root = route.method === 'GET' ? 'Query' : 'Mutation';
    if (isOperators(`${root}.${route.field}`)) expect(response.status).toBe(403);
    else if (isOrganizationWide(`${root}.${route.field}`)) expect(response.body.error).toMatchObject(refused);
    else expect(response.body).toMatchObject({ error: { code: 'RESOURCE_NOT_FOUND' } });
    expect(JSON.stringify(response.body)).not.toContain(LABEL);
    expect(pathParameters(route.path).length).toBeGreaterThan(0);
  });

  test('requests of a caller limited to one account do not change records of another account', async () =>
    expect(await everything()).toEqual(before));
});

describe('lists for a caller limited to one account', () => {
  const lists = routes.filter((route) => route.method === 'GET' && !hasRecordParameter(route, namesRecord) && !isOpen(route.path));

  test.each(titled(lists))('a list for a caller limited to one account contains no record of another account: %s', async (_, route) => {
    const path = await owner.path(route.path);
    const responses: RestResponse[] = [await limited.rest('GET', path)];
    for (const { name, in: place } of operationOf(route).parameters)
      if (place === 'query' && namesRecord(name)) responses.push(await limited.rest('GET', `${path}?${name}=${await owner.id(name)}`));
    for (const [at, { status, body }] of responses.entries()) {
      if (isOperators(`Query.${route.field}`)) expect(status).toBe(403);
      else if (isOrganizationWide(`Query.${route.field}`)) expect(body.error).toMatchObject(refused);
      else expect(at === 0 ? [200] : [200, 403, 404]).toContain(status);
      expect(JSON.stringify(body)).not.toContain(LABEL);
      if (at === 0) await expectNothingOfOwner(body);
    }
  });
});

type Field = GraphQLField<unknown, unknown>;
const isId = (type: unknown): boolean => /^\[?ID/.test(String(type));

describe('GraphQL root fields for a caller limited to one account', async () => {
  const { schema } = (await rig()).assembly.router;
  const fields = (['Query', 'Mutation', 'Subscription'] as const).flatMap((root) =>
    Object.values((schema.getType(root) as { getFields(): Record<string, Field> }).getFields()).map(
      (field) => [`${root}.${field.name}`, root, field] as const,
    ),
  );

  test.each(fields.filter(([, root]) => root !== 'Subscription'))(
    'a caller limited to one account gets an account_scope error from %s only if the policy of the field is "organization"',
    async (coordinate, root, field) => {
      const { data, errors = [] } = await limited.graphql(`${root.toLowerCase()} { ${await called(field)} }`);
      const isRefused = errors.some(({ extensions }) => extensions.details?.reason === 'account_scope');
      expect(isRefused, JSON.stringify(errors)).toBe(isOrganizationWide(coordinate) && !isOperators(coordinate));
      if (!/knowledge|article|faq/i.test(field.name)) expect(JSON.stringify({ data, errors })).not.toContain(LABEL);
    },
  );

  /** The selection of a field, with ids of the owner's records as its id arguments. */
  async function called(field: Field): Promise<string> {
    const ids = new Map<string, string>();
    for (const { name, type } of field.args) if (isNonNullType(type) && isId(type)) ids.set(name, await owner.id(kindOf(field, name)));
    const named = getNamedType(field.type);
    const selection = isObjectType(named) && named.getFields().id ? '{ id }' : '{ __typename }';
    const literals = given(field, (type, name) => (isId(type) && ids.has(name) ? JSON.stringify(ids.get(name)) : undefined));
    return `${field.name}${literals} ${selection}`;
  }

  function kindOf({ name }: Field, argument: string): string {
    const snake = argument.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    if (argument !== 'id' && snake in recordKinds) return snake;
    const inPath = routes.filter(({ field }) => field === name).flatMap(({ path }) => pathParameters(path));
    return (
      inPath.findLast((parameter) => parameter in recordKinds) ??
      NAMES.find((kind) => recordKinds[kind]?.withoutRoute?.includes(name)) ??
      'account_id'
    );
  }
});

describe('caller limited to an account', () => {
  let own: { ticket: Json; service: string };
  beforeAll(async () => {
    const { tenant } = owner;
    accountId = (await createAccount(tenant, 'Third')).id;
    limited = await limitedTo(tenant, accountId);
    const order = {
      account_id: accountId,
      service_type: 'fiber',
      bandwidth: '500mbps',
      location: { address: '1 Own Street', city: 'New York', state: 'NY', zip: '10118' },
      sla: 'enterprise',
      billing_cycle: 'monthly',
    };
    const ordered = await limited.rest('POST', '/connectivity/internet', { body: order });
    expect(ordered.status, JSON.stringify(ordered.body)).toBe(201);
    const opened = await limited.rest('POST', '/support/tickets', { body: { title: 'Own', description: 'Own words' } });
    expect(opened.status, JSON.stringify(opened.body)).toBe(201);
    own = { ticket: opened.body.ticket, service: ordered.body.data.id };
    await eventually(async () => (await tenant.rest('GET', `/services/${own.service}`)).body.data.status === 'operational');
  });

  test('a ticket created without an account by a caller limited to one account gets this account', async () => {
    const { body } = await limited.rest('GET', '/accounts');
    expect(body.data.map(({ id }: Json) => id)).toEqual([accountId]);
    expect(own.ticket.customer_id).toBe(body.data[0].customer_id);
    expect((await limited.rest('GET', `/support/tickets/${own.ticket.id}`)).status).toBe(200);
  });

  test('lists, totals and search for a caller limited to one account contain all records of this account and no others', async () => {
    const { data, errors } = await limited.graphql(`{
      tickets(page: { limit: 1 }) { nodes { id } pageInfo { total } }
      found: tickets(filter: { q: "words" }) { nodes { id } pageInfo { total } }
      open: tickets(filter: { status: [OPEN] }, sort: [{ field: PRIORITY, order: DESC }]) { nodes { id } pageInfo { total } }
      none: tickets(filter: { q: "${LABEL}" }) { nodes { id } pageInfo { total } }
      services { nodes { id } pageInfo { total } }
      supportDashboard { overview { totalTickets } }
    }`);
    expect(errors).toBeUndefined();
    const one = { nodes: [{ id: own.ticket.id }], pageInfo: { total: 1 } };
    expect(data).toMatchObject({ tickets: one, found: one, open: one, none: { nodes: [], pageInfo: { total: 0 } } });
    expect(data.services).toEqual({ nodes: [{ id: own.service }], pageInfo: { total: 1 } });
    expect(data.supportDashboard).toMatchObject({ overview: { totalTickets: 1 } });
  });

  test('a caller limited to two accounts reads both accounts, and creating a ticket without a customer returns 400', async () => {
    const both = await limitedTo(owner.tenant, accountId, await owner.id('account_id'));
    const { data } = await both.graphql('{ tickets { nodes { id } pageInfo { total } } accounts { pageInfo { total } } }');
    expect(data.accounts.pageInfo.total).toBe(2);
    expect(data.tickets.nodes.map(({ id }: Json) => id)).toContain(await owner.id('ticket_id'));
    expect(data.tickets.nodes.map(({ id }: Json) => id)).toContain(own.ticket.id);
    expect(data.tickets.pageInfo.total).toBe(data.tickets.nodes.length);
    const unnamed = await both.rest('POST', '/support/tickets', { body: { title: 'Whose', description: 'Whose' } });
    expect(unnamed.status).toBe(400);
    expect(unnamed.body.error.details.field).toBe('customer_id');
  });

  test('creating a ticket or invoice for another account returns 404 to a caller limited to one account', async () => {
    for (const name of ['customer_id', 'service_affected']) {
      const body = { title: 'Foreign', description: 'Foreign', [name]: await owner.id(name) };
      const response = await limited.rest('POST', '/support/tickets', { body });
      expect([response.status, response.body.error.code]).toEqual([404, 'RESOURCE_NOT_FOUND']);
    }
    const invoice = {
      account_id: await owner.id('account_id'),
      services: [{ service_id: await owner.id('service_id'), quantity: 1, unit_price: 1 }],
    };
    expect((await limited.rest('POST', '/billing/invoices', { body: invoice })).status).toBe(404);
  });

  test('a caller limited to one account can assign tickets to any agent but gets INSUFFICIENT_PERMISSIONS when reading the agent', async () => {
    const path = `/support/tickets/${own.ticket.id}`;
    const agent = await owner.id('agent_id');
    const given = await limited.rest('PUT', path, { body: { assigned_to: agent } });
    expect(given.body.ticket.assigned_to).toMatchObject({ agent_id: agent });
    expect((await limited.rest('GET', `/support/agents/${agent}`)).body.error).toMatchObject(refused);
    const nobody = await limited.rest('PUT', path, { body: { assigned_to: 'agent_01JQ8Z6V4T9M3N2B1C0D9E8F7G' } });
    expect([nobody.status, nobody.body.error.code]).toEqual([404, 'RESOURCE_NOT_FOUND']);
    await limited.rest('PUT', path, { body: { assigned_to: own.ticket.assigned_to.agent_id } });
  });

  test('a caller limited to one account reads only events of this account, and an event of another account is null', async () => {
    const { data } = await limited.graphql('{ events(page: { limit: 200 }) { nodes { accountId payload } } }');
    expect(data.events.nodes.length).toBeGreaterThan(0);
    for (const event of data.events.nodes) expect(event.accountId).toBe(accountId);
    expect(JSON.stringify(data)).not.toContain(LABEL);
    const foreign = await limited.graphql('query($id: ID!) { event(id: $id) { id } }', { id: await owner.id('event_id') });
    expect(foreign).toMatchObject({ data: { event: null } });
  });

  test('a live subscription of a caller limited to one account delivers only events of this account', async () => {
    const socket = limited.socket();
    try {
      const stream = socket.iterate<Json>({ query: 'subscription { ticketUpdated { accountId subjectId ticket { id } } }' });
      const next = stream.next();
      const touch = async (tenant: Tenant, id: string) =>
        tenant.rest('PUT', `/support/tickets/${id}`, { body: { customer_update: `${Math.random()}` } });
      await eventually(async () => {
        await touch(owner.tenant, await owner.id('ticket_id'));
        await touch(limited, own.ticket.id);
        return Promise.race([next.then(() => true), new Promise((resolve) => setImmediate(resolve, false))]);
      });
      const { value } = await next;
      expect(value.data.ticketUpdated).toEqual({ accountId, subjectId: own.ticket.id, ticket: { id: own.ticket.id } });
    } finally {
      await socket.dispose();
    }
  });

  test('a reference to a record of another account is null for a caller limited to one account', async () => {
    const opened = await limited.rest('POST', '/support/tickets', { body: { title: 'Planted', description: 'Planted' } });
    const { id } = opened.body.ticket;
    const rows = await onlyTable('support.ticket');
    await rows.set('service_affected', await owner.id('service_id'), 'id', id);
    await rows.set('customer_id', await owner.id('customer_id'), 'id', id);
    const query = 'query($id: ID!) { ticket(id: $id) { id service { id name } account { id name } } }';
    const { data } = await limited.graphql(query, { id });
    expect(JSON.stringify(data)).not.toContain(LABEL);
    expect(data.ticket.account).toBeNull();
  });

  test('the agent and routing rule of a ticket, which belong to the whole organization, are null for an account-limited caller', async () => {
    const query = 'query($id: ID!) { ticket(id: $id) { id agent { id } routingRule { id } account { id customerId } } }';
    const { data, errors } = await limited.graphql(query, { id: own.ticket.id });
    expect(errors).toBeUndefined();
    expect(data.ticket).toMatchObject({ agent: null, routingRule: null, account: { id: accountId } });
  });

  test('a caller limited to one account gets 401 after that account is closed', async () => {
    const closing = (await createAccount(owner.tenant, 'Closing')).id;
    const key = await limitedTo(owner.tenant, closing);
    expect((await key.rest('GET', '/accounts')).body.data).toHaveLength(1);
    await owner.tenant.rest('PUT', `/accounts/${closing}`, { body: { status: 'closed' } });
    await eventually(async () => (await key.rest('GET', '/accounts')).status === 401);
  });

  test('creating a user with access to more accounts than the account-limited caller returns INSUFFICIENT_PERMISSIONS or 404', async () => {
    const invite = (body: object) =>
      limited.rest('POST', `/accounts/${accountId}/users`, { body: { name: 'New', email: `${Math.random()}@example.com`, ...body } });
    expect((await invite({ role: 'member' })).body.data.accounts).toEqual([accountId]);
    expect((await invite({ role: 'member', accounts: null })).body.error).toMatchObject(refused);
    expect((await invite({ role: 'admin' })).body.error).toMatchObject(refused);
    expect((await invite({ role: 'member', accounts: [await owner.id('account_id')] })).status).toBe(404);
  });

  test('an OAuth token gives access only to accounts that both the user and the client may read', async () => {
    const { tenant } = owner;
    const scopes = ['accounts.read'];
    const client = await registered(tenant, { scopes, accounts: [accountId, await owner.id('account_id')] });
    const user = await userOf(tenant, 'member');
    const { access_token: token } = await tokensOf(user, client, 'accounts.read');
    expect(decodeJwt(token)).not.toHaveProperty('accounts');
    const seen = async () => {
      const { body } = await new Tenant(tenant.origin, tenant.organizationId, token).rest('GET', '/accounts');
      return body.data.map(({ id }: Json) => id).sort();
    };
    expect(await seen()).toEqual([accountId, await owner.id('account_id')].sort());
    const path = `/accounts/${user.account.id}/users/${user.id}`;
    await tenant.rest('PUT', path, { body: { accounts: [accountId, user.account.id] } });
    await eventually(async () => (await seen()).join() === accountId);
  });

  test('a client_credentials token of an OAuth client that is limited to accounts reads only services of these accounts', async () => {
    const client = await registered(owner.tenant, {
      scopes: ['services.read'],
      grant_types: ['client_credentials'],
      accounts: [accountId],
    });
    const { body } = await clientToken(owner.tenant.origin, client);
    const ofClient = new Tenant(owner.tenant.origin, owner.tenant.organizationId, body.access_token);
    expect((await ofClient.rest('GET', '/services')).body.data.map(({ id }: Json) => id)).toEqual([own.service]);
  });

  test('a response stored under an Idempotency-Key is not replayed to a caller with other accounts', async () => {
    const principal = (accounts: string[] | null) =>
      new Principal({ kind: 'user', id: 'user_1', organizationId: 'org_1', plan: 'developer', grants: ['*:*'], accounts });
    const scopes = [null, ['acc_1'], ['acc_2'], ['acc_1', 'acc_2']].map((accounts) => idempotencyScope(principal(accounts)).callerId);
    expect(new Set(scopes).size).toBe(4);
    expect(idempotencyScope(principal(['acc_2', 'acc_1'])).callerId).toBe(scopes[3]);
  });

  test('a repeated request with an Idempotency-Key is executed again if the accounts of its caller changed', async () => {
    const { tenant } = owner;
    const [first, second] = [await createAccount(tenant, 'First'), await createAccount(tenant, 'Second')];
    const body = { name: 'Changing', permissions: ['support:create', 'support:read'], accounts: [first.id] };
    const { id, key } = (await tenant.rest('POST', '/auth/api-keys', { body })).body.api_key;
    const caller = new Tenant(tenant.origin, tenant.organizationId, key);
    const headers = { 'idempotency-key': 'once' };
    const customers = async () => {
      const rest = await caller.rest('POST', '/support/tickets', { body: { title: 'Once', description: 'Once' }, headers });
      const query = 'mutation { createTicket(input: { title: "Once", description: "Once" }) { customerId } }';
      const graph = await fetch(`${tenant.origin}/graphql`, {
        method: 'POST',
        headers: { ...caller.credentials, 'idempotency-key': 'once more', 'content-type': 'application/json' },
        body: JSON.stringify({ query }),
      });
      return [rest.body.ticket.customer_id, ((await graph.json()) as Json).data.createTicket.customerId];
    };
    expect(await customers()).toEqual([first.customer_id, first.customer_id]);
    await tenant.rest('PUT', `/auth/api-keys/${id}`, { body: { accounts: [second.id] } });
    expect(await customers()).toEqual([second.customer_id, second.customer_id]);
    await tenant.rest('PUT', `/auth/api-keys/${id}`, { body: { accounts: [first.id] } });
    expect(await customers()).toEqual([first.customer_id, first.customer_id]);
    const { data } = await caller.graphql('{ tickets { pageInfo { total } } }');
    expect(data.tickets.pageInfo.total).toBe(2);
  });

  test("the signed caller that is sent to a subgraph in another process contains the caller's accounts", () => {
    const principal = new Principal({
      kind: 'user',
      id: 'user_1',
      organizationId: 'org_1',
      plan: 'developer',
      grants: [],
      accounts: ['acc_1'],
    });
    const now = new Date();
    expect(verifyPrincipal(signPrincipal(principal, 'secret', now), 'secret', now).accounts).toEqual(['acc_1']);
  });
});

describe('entity references to another account', async () => {
  const { domains } = (await rig()).assembly;
  const subgraphs = Object.values(domains).map(({ subgraph }) => subgraph);
  const entitiesOf = (schema: GraphQLSchema): string[] => {
    const type = schema.getType('_Entity');
    return isUnionType(type) ? type.getTypes().map(({ name }) => name) : [];
  };
  const named = subgraphs.flatMap((subgraph) => entitiesOf(subgraph.schema).map((entity) => [entity, subgraph] as const));
  const snake = (name: string): string => name.replace(/(?<=.)[A-Z]/g, '_$&').toLowerCase();

  test.each(named.map(([entity, subgraph]) => [`${entity} of ${subgraph.name}`, entity, subgraph] as const))(
    'an entity reference to a record of another account resolves to null: %s',
    async (_, entity, subgraph) => {
      const { tenant } = owner;
      const accounts = [(await createAccount(tenant, 'Empty')).id];
      const data = { kind: 'api_key', id: 'key_limited', organizationId: tenant.organizationId, plan: 'custom', grants: ['*:*'] } as const;
      const principal = new Principal({ ...data, accounts });
      const reference = { __typename: entity, id: await owner.id(`${snake(entity)}_id`), customerId: await owner.id('customer_id') };
      for (const selection of pathsOf(subgraph.schema.getType(entity), 2)) {
        const result = await execute({
          schema: subgraph.schema,
          document: parse(`query ($of: [_Any!]!) { _entities(representations: $of) { ... on ${entity} ${selection} } }`),
          variableValues: { of: [reference] },
          contextValue: subgraph.createContext({ requestId: 'req_entities', principal, log: createLogger({ level: 'silent' }) }),
        });
        const text = JSON.stringify(result.data ?? null);
        expect(text, selection).not.toContain(LABEL);
        // a subgraph that only extends the entity returns the key from the reference
        for (const name of NAMES.filter((one) => !SHARED.has(one))) {
          const id = await owner.id(name);
          if (id !== reference.id && id !== reference.customerId) expect(text, selection).not.toContain(id);
        }
      }
    },
  );
});

describe('nested records for a caller limited to one account', async () => {
  const { schema } = (await rig()).assembly.router;
  /** Ids of records of the account that `reader` is limited to, by kind of record. */
  const ids: Record<string, string> = {};
  let reader: Tenant;
  beforeAll(async () => {
    const { id: account } = await createAccount(owner.tenant, 'Fourth');
    reader = await limitedTo(owner.tenant, account);
    const { service, firstInvoice } = await orderService(owner.tenant, account);
    const ticket = { title: 'Slow', description: 'Since noon', service_affected: service.id };
    const opened = await reader.rest('POST', '/support/tickets', { body: ticket });
    const newest = async () => (await reader.graphql('{ events(page: { limit: 1 }) { nodes { id } } }')).data.events.nodes[0];
    const { id: event } = await eventually(newest);
    Object.assign(ids, { account, event, service: service.id, invoice: firstInvoice.id, ticket: opened.body.ticket.id });
    // references are checked when they are written, so the test writes references to another account to the database
    const first = await owner.id('service_id');
    await (await onlyTable('support.ticket')).set('service_affected', first, 'id', ids.ticket as string);
    await (await onlyTable('billing.invoice_line')).set('service_id', first, 'invoice_id', ids.invoice as string);
  });

  const LEVELS = 3;
  const roots = Object.values(schema.getQueryType()?.getFields() ?? {})
    .filter(({ name }) => !/knowledge|article|faq/i.test(name))
    .map(({ name, type, args }) => ({ name, type, required: args.filter((argument) => isNonNullType(argument.type)) }))
    .filter(({ required }) => required.every((argument) => argument.name === 'id'));
  const known = roots.filter(({ name, required }) => required.length === 0 || READ_BY_ID.has(name));

  test.each(known.map((root) => [root.name, root] as const))(
    'a caller limited to one account reads no record of another account nested in the query field %s',
    async (name, { type, required }) => {
      const [declared, called] = required.length === 0 ? ['', name] : ['($id: ID!)', `${name}(id: $id)`];
      for (const selection of pathsOf(type, LEVELS)) {
        const { data } = await reader.graphql(
          `query Q${declared} { ${called} ${selection} }`,
          required.length === 0 ? {} : { id: ids[name] },
        );
        const text = JSON.stringify(data ?? null);
        expect(text, selection).not.toContain(LABEL);
        for (const kind of ['account_id', 'customer_id', 'ticket_id', 'invoice_id', 'user_id'])
          expect(text, selection).not.toContain(await owner.id(kind));
      }
    },
  );
});
