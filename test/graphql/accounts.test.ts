import { beforeEach, expect, test } from 'vitest';
import { rig } from '../rig.ts';
import type { Json, Tenant } from '../tenant.ts';

let tenant: Tenant;
beforeEach(async () => {
  tenant = await (await rig()).organization({ plan: 'business' });
});

const CREATE = 'mutation($input: AccountCreateInput!) { createAccount(input: $input) { id customerId name } }';
const create = async (name: string): Promise<Json> =>
  (await tenant.graphql(CREATE, { input: { name, email: 'it@acme.example.com' } })).data.createAccount;

test("the GraphQL field organization returns the caller's own organization with its plan", async () => {
  const { data } = await tenant.graphql('{ organization { id name plan createdAt } }');
  expect(data.organization).toEqual({ id: tenant.organizationId, name: 'Test', plan: 'BUSINESS', createdAt: expect.stringMatching(/Z$/) });
});

test('a GraphQL error has the same code and details as the REST error, with field names in camelCase', async () => {
  const { data, errors } = await tenant.graphql(CREATE, { input: { name: '', email: 'x' } });
  expect(data?.createAccount ?? null).toBeNull();
  expect(errors?.[0].extensions).toMatchObject({ code: 'INVALID_PARAMETERS', details: { field: 'name' } });
});

test('GraphQL returns null for an account of another organization, and the account list does not contain this account', async () => {
  const { id } = await create('Acme');
  const stranger = await (await rig()).organization();
  const { data, errors } = await stranger.graphql(
    'query($id: ID!) { account(id: $id) { id } accounts { nodes { id } pageInfo { total } } }',
    { id },
  );
  expect(errors).toBeUndefined();
  expect(data).toEqual({ account: null, accounts: { nodes: [], pageInfo: { total: 0 } } });
});

test('a GraphQL query for the accounts of many tickets loads all accounts with one SQL statement', async () => {
  const made = [await create('One'), await create('Two'), await create('Three')];
  for (const { customerId } of [...made, ...made]) {
    const input = { title: 'Slow', description: 'Slow', customerId };
    await tenant.graphql('mutation($input: TicketCreateInput!) { createTicket(input: $input) { id } }', { input });
  }
  let names: string[] = [];
  const statements = await (await rig()).statements(async () => {
    const { data } = await tenant.graphql('{ tickets { nodes { account { name } } } }');
    names = data.tickets.nodes.map(({ account }: Json) => account.name);
  });
  expect(names.sort()).toEqual(['One', 'One', 'Three', 'Three', 'Two', 'Two']);
  expect(statements.filter((sql) => sql.includes('"account"'))).toHaveLength(1);
});

test('reading the account of a ticket without accounts:read returns null and INSUFFICIENT_PERMISSIONS', async () => {
  const { customerId } = await create('Acme');
  await tenant.graphql('mutation($input: TicketCreateInput!) { createTicket(input: $input) { id } }', {
    input: { title: 'Slow', description: 'Slow', customerId },
  });
  const limited = await tenant.limitedTo('support:read');
  const { data, errors } = await limited.graphql('{ tickets { nodes { title account { name } } } }');
  expect(data.tickets.nodes).toEqual([{ title: 'Slow', account: null }]);
  expect(errors?.[0].extensions).toMatchObject({ code: 'INSUFFICIENT_PERMISSIONS', details: { required: 'accounts:read' } });
});

test('a ticket whose account is deleted can still be read, and its account field is null', async () => {
  const { id, customerId } = await create('Gone Corporation');
  const made = await tenant.graphql('mutation($input: TicketCreateInput!) { createTicket(input: $input) { id } }', {
    input: { title: 'Slow', description: 'Slow', customerId },
  });
  await tenant.rest('DELETE', `/accounts/${id}`);

  const read = () => tenant.graphql('query($id: ID!) { ticket(id: $id) { title customerId account { name } } }', made.data.createTicket);
  const [first, second] = [await read(), await read()];
  expect(first.errors).toBeUndefined();
  expect(first.data).toEqual({ ticket: { title: 'Slow', customerId, account: null } });
  expect(JSON.stringify(first)).not.toMatch(/Gone|acc_/);
  expect(second.data).toEqual(first.data);
  expect(second.errors?.length).toBe(first.errors?.length);
});
