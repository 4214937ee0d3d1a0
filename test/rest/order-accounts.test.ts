import { beforeAll, describe, expect, test } from 'vitest';
import type { Grant } from '../../kernel/access/principal.ts';
import { createAccount, LOCATION } from '../billing.setup.ts';
import { completeRequest, inDays, provisioningRequest, readRequest, requested, requestThatIs } from '../provisioning.setup.ts';
import { rig } from '../rig.ts';
import { internetOrder } from '../services.setup.ts';
import { onlyTable } from '../support/tables.ts';
import { type Json, type RestResponse, Tenant } from '../tenant.ts';
import { userOf } from '../users.setup.ts';

const DAY_MS = 86_400_000;
const order = internetOrder('', { account_id: undefined });
const request = completeRequest('', { account_id: undefined });

let tenant: Tenant;
let own: string;
let first: string;
let second: string;
beforeAll(async () => {
  tenant = await (await rig()).organization({ plan: 'custom' });
  own = await ownAccountOf(tenant);
  [first, second] = [(await createAccount(tenant)).id, (await createAccount(tenant)).id];
});

const ownAccountOf = async (caller: Tenant): Promise<string> => (await caller.rest('GET', '/accounts?own=true')).body.data[0].id;
const place = (caller: Tenant, body: Json): Promise<RestResponse> => caller.rest('POST', '/connectivity/internet', { body });
/** Orders an internet service, a catalog service and a provisioning request, each with the fields of `more`; returns the responses. */
const ordersOf = async (caller: Tenant, more: object = {}): Promise<RestResponse[]> => [
  await place(caller, { ...order, ...more }),
  await caller.rest('POST', '/services', { body: { catalog_id: 'business_fiber', bandwidth: '500mbps', location: LOCATION, ...more } }),
  await ask(caller, { ...request, ...more }),
];
const ask = (caller: Tenant, body: Json): Promise<RestResponse> => caller.rest('POST', '/services/provision', { body });
const setStatus = (id: string, status: string): Promise<RestResponse> => tenant.rest('PUT', `/accounts/${id}`, { body: { status } });

/** Creates an API key with these permissions that is limited to these accounts, and returns a caller that uses the key. */
async function keyFor(accounts: string[], ...permissions: Grant[]): Promise<Tenant> {
  const { status, body } = await tenant.rest('POST', '/auth/api-keys', { body: { name: 'limited', permissions, accounts } });
  if (status !== 201) throw new Error(JSON.stringify(body));
  return new Tenant(tenant.origin, tenant.organizationId, body.api_key.key);
}

describe('orders that name no account', () => {
  test.each([undefined, null])("an order with the account_id %j belongs to the organization's own account", async (account_id) => {
    for (const { status, body } of await ordersOf(tenant, { account_id })) expect([status, body.data.account_id]).toEqual([201, own]);
  });

  test("a provisioning request that names no account gets the organization's own account, and so does the ordered service", async () => {
    const { status, body } = await ask(tenant, request);
    expect([status, body.data.account_id, body.data.status]).toEqual([201, own, 'acknowledged']);
    const { data } = (await tenant.rest('GET', `/services/${body.data.service_id}`)).body;
    expect(data.account_id).toBe(own);
  });

  test('a caller with only the permission services:create can order without naming an account', async () => {
    const caller = await tenant.limitedTo('services:create');
    for (const { body } of await ordersOf(caller)) expect(body.data.account_id).toBe(own);
  });

  test("a user who is not limited to accounts orders for the organization's own account", async () => {
    const user = await userOf(tenant);
    expect(user.account.id).not.toBe(own);
    for (const { body } of await ordersOf(user)) expect(body.data.account_id).toBe(own);
  });

  test('orders of a user or an API key that is limited to one account are for this account', async () => {
    const user = await userOf(tenant, 'account_admin');
    const key = await keyFor([first], 'services:create');
    for (const [caller, account] of [
      [user, user.account.id],
      [key, first],
    ] as const)
      for (const { body } of await ordersOf(caller)) expect(body.data.account_id).toBe(account);
  });

  test('a caller limited to several accounts must name one of them, or the order returns 400 for account_id', async () => {
    const caller = await keyFor([first, second], 'services:create', 'services:read');
    for (const { status, body } of await ordersOf(caller)) {
      expect(status).toBe(400);
      expect(body.error).toMatchObject({ code: 'INVALID_PARAMETERS', details: { field: 'account_id' } });
    }
    expect((await place(caller, { ...order, account_id: second })).body.data.account_id).toBe(second);
    expect((await caller.rest('GET', '/services')).body.total_count).toBe(
      (await tenant.rest('GET', `/services?account_id=${first},${second}`)).body.total_count,
    );
  });

  test('an order of a limited caller for the own account or another account of the organization returns 404', async () => {
    const caller = await keyFor([first], 'services:create');
    for (const account_id of [own, second])
      for (const { status, body } of await ordersOf(caller, { account_id }))
        expect([status, body.error.details]).toEqual([404, { resource: 'account', id: account_id }]);
  });

  test('an order for the own account of another organization returns 404', async () => {
    const account_id = await ownAccountOf(await (await rig()).organization());
    for (const { status, body } of await ordersOf(tenant, { account_id }))
      expect([status, body.error.details]).toEqual([404, { resource: 'account', id: account_id }]);
  });

  test('an order of a caller whose only account is suspended returns 409 ACCOUNT_SUSPENDED, although it names no account', async () => {
    const { id } = await createAccount(tenant);
    const caller = await keyFor([id], 'services:create');
    await setStatus(id, 'suspended');
    const error = { code: 'ACCOUNT_SUSPENDED', details: { resource: 'account', id, status: 'suspended' } };
    for (const response of await ordersOf(caller)) expect(response).toMatchObject({ status: 409, body: { error } });
    await setStatus(id, 'active');
    expect((await place(caller, order)).status).toBe(201);
  });

  test.each([['acme'], [''], ['acc_'], ['acc_1; drop table'], [7], [[]], [{}], [true]])(
    'an order with the account_id %j returns 400',
    async (account_id) => {
      for (const { status, body } of await ordersOf(tenant, { account_id }))
        expect([status, body.error.details.field]).toEqual([400, 'account_id']);
    },
  );

  test('twenty concurrent orders that name no account all belong to the own account', async () => {
    const orders = await Promise.all(Array.from({ length: 20 }, () => place(tenant, order)));
    expect(new Set(orders.map(({ body }) => body.data.account_id))).toEqual(new Set([own]));
  });
});

describe('the account of a pending provisioning request', () => {
  test('setting the account of a pending provisioning request to null selects the default account', async () => {
    const { id } = await requested(tenant, provisioningRequest({ account_id: first }));
    const { body } = await tenant.rest('PUT', `/services/provision/${id}`, { body: { account_id: null } });
    expect(body.data).toMatchObject({ status: 'pending', account_id: own, missing: ['location'] });
  });

  test('a caller limited to several accounts cannot set the account of a request to null, and the request keeps its account', async () => {
    const caller = await keyFor([first, second], 'services:write', 'services:read');
    const { id } = await requested(caller, provisioningRequest({ account_id: first }));
    const { status, body } = await caller.rest('PUT', `/services/provision/${id}`, { body: { account_id: null } });
    expect([status, body.error.details.field]).toEqual([400, 'account_id']);
    expect((await caller.rest('PUT', `/services/provision/${id}`, { body: { name: 'Annex' } })).body.data).toMatchObject({
      account_id: first,
      name: 'Annex',
    });
  });

  test('a pending request that an earlier release stored without an account gets the own account when it is changed', async () => {
    const { id } = await requested(tenant, provisioningRequest({ account_id: first }));
    await withoutAccount(id);
    expect(await readRequest(tenant, id)).toMatchObject({ account_id: null, missing: ['location'] });
    const { body } = await tenant.rest('PUT', `/services/provision/${id}`, { body: { location: LOCATION } });
    expect(body.data).toMatchObject({ status: 'acknowledged', account_id: own });
  });

  test('a scheduled request that an earlier release stored without an account gets the own account on its date', async () => {
    const { id } = await requested(tenant, completeRequest(first, { deployment_schedule: { preferred_date: inDays(1) } }));
    await withoutAccount(id);
    await (await rig()).advance(DAY_MS);
    const { account_id, service_id } = await requestThatIs('completed', tenant, id);
    expect(account_id).toBe(own);
    expect((await tenant.rest('GET', `/services/${service_id}`)).body.data.account_id).toBe(own);
  });

  const withoutAccount = async (id: string): Promise<void> => {
    await (await onlyTable('services.provisioning_request')).set('account_id', null, 'id', id);
  };
});

describe('the default account in GraphQL', () => {
  const defaultOf = async (caller: Tenant): Promise<Json> => {
    const { data, errors } = await caller.graphql('{ defaultAccount { id own } }');
    return errors ? errors[0]?.extensions.code : data.defaultAccount;
  };

  test("the default account is the own account, the caller's only account, or null for a caller with several accounts", async () => {
    expect(await defaultOf(tenant)).toEqual({ id: own, own: true });
    expect(await defaultOf(await keyFor([first], 'accounts:read'))).toEqual({ id: first, own: false });
    expect(await defaultOf(await keyFor([own], 'accounts:read'))).toEqual({ id: own, own: true });
    expect(await defaultOf(await keyFor([first, second], 'accounts:read'))).toBeNull();
  });

  test('getting the default account requires accounts:read', async () => {
    expect(await defaultOf(await tenant.limitedTo('services:create'))).toBe('INSUFFICIENT_PERMISSIONS');
  });
});
