import { beforeAll, describe, expect, test } from 'vitest';
import { createAccount, LOCATION } from '../billing.setup.ts';
import { rig } from '../rig.ts';
import { internetOrder, placeOrder, serviceThatIs, tenantWithAccount } from '../services.setup.ts';
import type { Tenant } from '../tenant.ts';

let tenant: Tenant;
let accountId: string;
beforeAll(async () => {
  ({ tenant, accountId } = await tenantWithAccount());
});

const KEY_WEST = { address: '1 Duval Street', city: 'Key West', state: 'FL', zip: '33040' };

describe('an internet service that is ordered', () => {
  test('is pending, has the price of the catalog, and reads as it was answered', async () => {
    const { status, body } = await placeOrder(tenant, accountId);
    expect(status).toBe(201);
    expect(body.data).toEqual({
      id: expect.stringMatching(/^svc_/),
      account_id: accountId,
      type: 'internet',
      service_type: 'fiber',
      catalog_id: 'business_fiber',
      name: 'Business Fiber, 350 Fifth Avenue',
      status: 'pending',
      status_reason: null,
      bandwidth: '1000mbps',
      location: LOCATION,
      sla: 'enterprise',
      billing_cycle: 'monthly',
      monthly_price: 403.65,
      currency: 'USD',
      configuration: {},
      provider: null,
      provisioned_at: null,
      created_at: expect.stringMatching(/Z$/),
      updated_at: expect.stringMatching(/Z$/),
    });
    const { data } = (await tenant.rest('GET', `/connectivity/internet/${body.data.id}`)).body;
    expect(Object.keys(data)).toEqual(Object.keys(body.data));
    expect(data.id).toBe(body.data.id);
  });

  test('is built by the simulator, which says so', async () => {
    const service = await serviceThatIs('operational', tenant, accountId);
    expect(service).toMatchObject({ provider: 'simulated', status_reason: null, provisioned_at: expect.stringMatching(/Z$/) });
  });

  test('has the default service level and is billed monthly where nothing is said', async () => {
    const { body } = await placeOrder(tenant, accountId, { sla: undefined, billing_cycle: undefined });
    expect(body.data).toMatchObject({ sla: 'standard', billing_cycle: 'monthly', monthly_price: 299 });
  });

  test.each(['1gbps', '1000 mbps', '1000MBPS'])('may write its bandwidth as %s', async (bandwidth) => {
    expect((await placeOrder(tenant, accountId, { bandwidth })).body.data.bandwidth).toBe('1000mbps');
  });

  test('may have a name of its own', async () => {
    expect((await placeOrder(tenant, accountId, { name: 'Headquarters' })).body.data.name).toBe('Headquarters');
  });

  test('fails with a reason where the provider refuses it', async () => {
    const service = await serviceThatIs('failed', tenant, accountId, { location: { ...LOCATION, address: '1 FAIL-PERMANENT Road' } });
    expect(service).toMatchObject({ status_reason: expect.stringContaining('cannot build'), provisioned_at: null, provider: null });
  });

  test('is built on the second try where the provider fails once', async () => {
    await serviceThatIs('operational', tenant, accountId, { location: { ...LOCATION, address: '1 FAIL-ONCE Road' } });
  });
});

describe('an order is refused', () => {
  test.each([
    ['account_id', undefined],
    ['account_id', 'acme'],
    ['service_type', undefined],
    ['service_type', 'pigeon'],
    ['bandwidth', undefined],
    ['bandwidth', 'fast'],
    ['bandwidth', '700mbps'],
    ['bandwidth', 1000],
    ['location', undefined],
    ['location', '350 Fifth Avenue'],
    ['sla', 'platinum'],
    ['billing_cycle', 'hourly'],
    ['name', ''],
    ['colour', 'green'],
  ])('with %s %j, naming the field', async (field, value) => {
    const { status, body } = await placeOrder(tenant, accountId, { [field]: value });
    expect(status).toBe(400);
    expect(body.error).toMatchObject({ code: 'INVALID_PARAMETERS', details: { field } });
  });

  test.each([
    ['address', ''],
    ['city', undefined],
    ['state', 'New York'],
    ['state', 'CA'],
    ['zip', '1011'],
    ['country', 'US'],
  ])('with %s %j in its location, naming the field', async (member, value) => {
    const { status, body } = await placeOrder(tenant, accountId, { location: { ...LOCATION, [member]: value } });
    expect(status).toBe(400);
    expect(body.error).toMatchObject({ code: 'INVALID_PARAMETERS', details: { field: `location.${member}` } });
  });

  test('where nothing is', async () => {
    const location = { ...LOCATION, city: 'Utqiagvik', state: 'AK', zip: '99723' };
    const { status, body } = await placeOrder(tenant, accountId, { location });
    expect(status).toBe(400);
    expect(body.error).toMatchObject({ code: 'LOCATION_NOT_SERVICEABLE', details: { location } });
  });

  test('where its technology is not, saying what is there', async () => {
    const { status, body } = await placeOrder(tenant, accountId, { location: KEY_WEST, bandwidth: '500mbps' });
    expect(status).toBe(400);
    expect(body.error).toMatchObject({
      code: 'SERVICE_UNAVAILABLE_AT_LOCATION',
      details: {
        service_type: 'fiber',
        location: KEY_WEST,
        alternatives: [{ service_type: 'cable', available: true, bandwidth: '500mbps' }],
      },
    });
  });

  test('where its technology carries less, saying how much', async () => {
    const { status, body } = await placeOrder(tenant, accountId, { location: KEY_WEST, service_type: 'cable' });
    expect(status).toBe(400);
    expect(body.error).toMatchObject({ code: 'INSUFFICIENT_BANDWIDTH', details: { requested: '1000mbps', available: '500mbps' } });
  });

  test("for an account that there is not, and for another organization's", async () => {
    const other = await (await rig()).organization();
    const foreign = await createAccount(other);
    for (const id of ['acc_00000000000000000000000000', foreign.id]) {
      const { status, body } = await placeOrder(tenant, id);
      expect(status).toBe(404);
      expect(body.error).toMatchObject({ code: 'RESOURCE_NOT_FOUND', details: { resource: 'account', id } });
    }
  });

  test.each([
    ['suspended', 'ACCOUNT_SUSPENDED'],
    ['closed', 'INVALID_STATE'],
  ])('for an account that is %s, until it is active again', async (status, code) => {
    const { id } = await createAccount(tenant, status);
    await tenant.rest('PUT', `/accounts/${id}`, { body: { status } });
    const refused = await placeOrder(tenant, id);
    expect(refused).toMatchObject({
      status: 409,
      body: { error: { code, details: { resource: 'account', id, status } } },
    });
    expect((await tenant.rest('GET', `/services?account_id=${id}`)).body.data).toEqual([]);

    await tenant.rest('PUT', `/accounts/${id}`, { body: { status: 'active' } });
    expect((await placeOrder(tenant, id)).status).toBe(201);
  });

  test('without services:create', async () => {
    const limited = await tenant.limitedTo('services:read', 'accounts:read');
    const { status, body } = await limited.rest('POST', '/connectivity/internet', { body: internetOrder(accountId) });
    expect(status).toBe(403);
    expect(body.error).toMatchObject({ code: 'INSUFFICIENT_PERMISSIONS', details: { required: 'services:create' } });
  });

  test('and leaves nothing behind', async () => {
    const own = await tenantWithAccount();
    await placeOrder(own.tenant, own.accountId, { sla: 'platinum' });
    const { body } = await own.tenant.rest('GET', '/services');
    expect(body.data).toEqual([]);
  });
});
