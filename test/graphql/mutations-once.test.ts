import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { createAccount } from '../billing.setup.ts';
import { rig } from '../rig.ts';
import { confirmed } from '../security/mfa.setup.ts';
import type { Json, Tenant } from '../tenant.ts';
import { userOf } from '../users.setup.ts';

let tenant: Tenant;
beforeAll(async () => {
  tenant = await (await rig()).organization({ plan: 'custom' });
});

const CREATE = 'mutation ($input: TicketCreateInput!) { createTicket(input: $input) { id title } }';
const ticket = (title: string): Json => ({ input: { title, description: 'D' } });

async function send(as: Tenant, key: string | undefined, query: string, variables: Json = {}) {
  const response = await fetch(`${as.origin}/graphql`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${as.apiKey}`,
      'content-type': 'application/json',
      ...(key !== undefined && { 'idempotency-key': key }),
    },
    body: JSON.stringify({ query, variables }),
  });
  const text = await response.text();
  return {
    status: response.status,
    text,
    body: JSON.parse(text) as Json,
    isReplayed: response.headers.get('idempotent-replayed') === 'true',
  };
}

async function countOf(title: string): Promise<number> {
  const { body } = await tenant.rest('GET', '/support/tickets?limit=200');
  return body.tickets.filter((one: Json) => one.title === title).length;
}

describe('mutations with an Idempotency-Key', () => {
  test('a mutation that is repeated with the same Idempotency-Key runs once, and its first response is replayed', async () => {
    const [key, title] = [randomUUID(), `once ${randomUUID()}`];
    const first = await send(tenant, key, CREATE, ticket(title));
    const again = await send(tenant, key, CREATE, ticket(title));
    expect([first.status, first.isReplayed, again.status, again.isReplayed]).toEqual([200, false, 200, true]);
    expect(again.body).toEqual(first.body);
    expect(await countOf(title)).toBe(1);
  });

  test('of six concurrent mutations with the same Idempotency-Key, only one runs', async () => {
    const [key, title] = [randomUUID(), `many ${randomUUID()}`];
    const all = await Promise.all(Array.from({ length: 6 }, () => send(tenant, key, CREATE, ticket(title))));
    expect(await countOf(title)).toBe(1);
    for (const { status, body } of all.filter((one) => one.status !== 200))
      expect([status, body.errors[0].extensions.code]).toEqual([409, 'IDEMPOTENCY_CONFLICT']);
  });

  test('reusing an Idempotency-Key with other variables or another operation returns 409 IDEMPOTENCY_CONFLICT', async () => {
    const key = randomUUID();
    await send(tenant, key, CREATE, ticket('one'));
    for (const [query, variables] of [
      [CREATE, ticket('two')],
      [CREATE.replace('id title', 'id'), ticket('one')],
    ] as const) {
      const { status, body } = await send(tenant, key, query, variables);
      expect([status, body.errors[0].extensions.code]).toEqual([409, 'IDEMPOTENCY_CONFLICT']);
    }
  });

  test('a GraphQL mutation with an Idempotency-Key that a REST request has used returns 409', async () => {
    const key = randomUUID();
    await tenant.rest('POST', '/support/tickets', { body: { title: 'T', description: 'D' }, headers: { 'idempotency-key': key } });
    expect((await send(tenant, key, CREATE, ticket('T'))).status).toBe(409);
  });

  test('an Idempotency-Key can be used again after a mutation with invalid input', async () => {
    const key = randomUUID();
    expect((await send(tenant, key, CREATE, ticket(''))).body.errors[0].extensions.code).toBe('INVALID_PARAMETERS');
    const right = await send(tenant, key, CREATE, ticket('right'));
    expect([right.body.data?.createTicket.title, right.isReplayed]).toEqual(['right', false]);
  });

  test('the response of a partly failed mutation is replayed with its data and errors', async () => {
    const [key, title] = [randomUUID(), `several ${randomUUID()}`];
    const query = `mutation ($input: TicketCreateInput!) {
      first: createTicket(input: $input) { id }
      second: updateTicket(id: "ticket_none", input: { priority: HIGH }) { id }
    }`;
    const first = await send(tenant, key, query, ticket(title));
    expect(first.body.errors[0]).toMatchObject({ path: ['second'], extensions: { code: 'RESOURCE_NOT_FOUND' } });
    const again = await send(tenant, key, query, ticket(title));
    expect([again.isReplayed, again.body.errors, again.body.data]).toEqual([true, first.body.errors, first.body.data]);
    expect(await countOf(title)).toBe(1);
  });

  test('a mutation with one forbidden field returns INSUFFICIENT_PERMISSIONS, and no field of the mutation runs', async () => {
    const [key, title] = [randomUUID(), `allowed ${randomUUID()}`];
    const limited = await tenant.limitedTo('support:create');
    const query = `mutation ($input: TicketCreateInput!) { createTicket(input: $input) { id } deleteSupportReport(id: "r") { id } }`;
    const { body } = await send(limited, key, query, ticket(title));
    expect(body.errors).toMatchObject([{ extensions: { code: 'INSUFFICIENT_PERMISSIONS', details: { required: 'support:write' } } }]);
    expect(await countOf(title)).toBe(0);
  });

  test('a malformed Idempotency-Key returns 400 for a mutation and is ignored for a query', async () => {
    expect((await send(tenant, 'ü'.repeat(2), CREATE, ticket('x'))).status).toBe(400);
    const query = await send(tenant, randomUUID(), '{ tickets(page: { limit: 1 }) { nodes { id } } }');
    expect([query.status, query.body.errors]).toEqual([200, undefined]);
  });

  test('a mutation with the same idempotency key over a WebSocket and over HTTP runs once', async () => {
    const [key, title] = [randomUUID(), `socket ${randomUUID()}`];
    const socket = tenant.socket();
    try {
      const ask = async (idempotencyKey: string, variables = ticket(title)): Promise<Json> => {
        for await (const result of socket.iterate({ query: CREATE, variables, extensions: { idempotencyKey } })) return result;
      };
      const first = await ask(key);
      const again = await ask(key);
      expect(first).toMatchObject({ data: { createTicket: { title } } });
      expect([first.data, first.extensions]).toEqual([again.data, undefined]);
      expect(again.extensions).toEqual({ idempotentReplayed: true });
      expect((await send(tenant, key, CREATE, ticket(title))).isReplayed).toBe(true);
      expect(await countOf(title)).toBe(1);
      expect((await ask(key, ticket('other'))).errors).toMatchObject([{ extensions: { code: 'IDEMPOTENCY_CONFLICT' } }]);
    } finally {
      await socket.dispose();
    }
  });
});

describe('idempotency keys of a caller', () => {
  test('a user who logs in again and repeats a request with the same Idempotency-Key receives the first response', async () => {
    const user = await userOf(tenant);
    const [key, title] = [randomUUID(), `again ${randomUUID()}`];
    const body = { title, description: 'D' };
    const first = await user.rest('POST', '/support/tickets', { body, headers: { 'idempotency-key': key } });
    const again = await (await user.again()).rest('POST', '/support/tickets', { body, headers: { 'idempotency-key': key } });
    expect([first.status, again.status, again.headers.get('idempotent-replayed')]).toEqual([201, 201, 'true']);
    const over = randomUUID();
    expect((await send(user, over, CREATE, ticket(title))).isReplayed).toBe(false);
    expect((await send(await user.again(), over, CREATE, ticket(title))).isReplayed).toBe(true);
    expect(await countOf(title)).toBe(2);
  });

  test('a caller that lost the permission of an operation receives 403 instead of the stored response', async () => {
    const limited = await tenant.limitedTo('support:create');
    const key = randomUUID();
    const body = { title: 'T', description: 'D' };
    const headers = { 'idempotency-key': key };
    expect((await limited.rest('POST', '/support/tickets', { body, headers })).status).toBe(201);
    const over = randomUUID();
    await send(limited, over, CREATE, ticket('T'));
    const { body: listed } = await tenant.rest('GET', '/auth/api-keys?limit=200&sort=created_at:desc');
    const [{ id }] = listed.api_keys ?? listed.data;
    const narrowed = await tenant.rest('PUT', `/auth/api-keys/${id}`, { body: { permissions: ['monitoring:read'] } });
    expect(narrowed.status).toBe(200);
    expect((await limited.rest('POST', '/support/tickets', { body, headers })).status).toBe(403);
    expect((await send(limited, over, CREATE, ticket('T'))).body.errors[0].extensions.code).toBe('INSUFFICIENT_PERMISSIONS');
  });

  test('a request with an Idempotency-Key returns 403 mfa_required if no second factor was verified in the session', async () => {
    const { user } = await confirmed(tenant);
    const account = await createAccount(tenant);
    const key = randomUUID();
    const body = { name: 'k', permissions: ['support:read'], account_id: account.id };
    const again = await user.again();
    const response = await again.rest('POST', '/auth/api-keys', { body, headers: { 'idempotency-key': key } });
    expect([response.status, response.body.error]).toEqual([403, 'mfa_required']);
  });
});
