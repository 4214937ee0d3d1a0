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

describe('internet orders', () => {
  test('an internet order creates a pending service with the catalog price, and a GET returns this service', async () => {
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
      priority: 'high',
      billing_cycle: 'monthly',
      monthly_price: 403.65,
      currency: 'USD',
      features: [],
      configuration: {},
      contacts: null,
      provider: null,
      pending_changes: [],
      quote_id: null,
      term_months: null,
      one_time_fee: 199,
      revision: 1,
      provisioned_at: null,
      created_at: expect.stringMatching(/Z$/),
      updated_at: expect.stringMatching(/Z$/),
    });
    const { data } = (await tenant.rest('GET', `/connectivity/internet/${body.data.id}`)).body;
    expect(Object.keys(data)).toEqual(Object.keys(body.data));
    expect(data.id).toBe(body.data.id);
  });

  test('the simulator provisions an ordered internet service, and the provider of the service is then "simulated"', async () => {
    const service = await serviceThatIs('operational', tenant, accountId);
    expect(service).toMatchObject({ provider: 'simulated', status_reason: null, provisioned_at: expect.stringMatching(/Z$/) });
  });

  test('an internet order defaults to the standard service level and monthly billing', async () => {
    const { body } = await placeOrder(tenant, accountId, { sla: undefined, billing_cycle: undefined });
    expect(body.data).toMatchObject({ sla: 'standard', billing_cycle: 'monthly', monthly_price: 299 });
  });

  test.each(['1gbps', '1000 mbps', '1000MBPS'])('an internet order accepts the bandwidth spelling %s', async (bandwidth) => {
    expect((await placeOrder(tenant, accountId, { bandwidth })).body.data.bandwidth).toBe('1000mbps');
  });

  test('an internet order can set the name of its service', async () => {
    expect((await placeOrder(tenant, accountId, { name: 'Headquarters' })).body.data.name).toBe('Headquarters');
  });

  test('an internet service has the status failed and a reason if its provider permanently rejects it', async () => {
    const service = await serviceThatIs('failed', tenant, accountId, { location: { ...LOCATION, address: '1 FAIL-PERMANENT Road' } });
    expect(service).toMatchObject({ status_reason: expect.stringContaining('cannot build'), provisioned_at: null, provider: null });
  });

  test('an internet service is provisioned on the second attempt if the provider fails once', async () => {
    await serviceThatIs('operational', tenant, accountId, { location: { ...LOCATION, address: '1 FAIL-ONCE Road' } });
  });
});

describe('rejected internet orders', () => {
  test.each([
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
  ])('an internet order with an invalid field returns 400 INVALID_PARAMETERS and names the field: %s %j', async (field, value) => {
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
  ])(
    'an internet order with an invalid location field returns 400 INVALID_PARAMETERS and names the field: %s %j',
    async (member, value) => {
      const { status, body } = await placeOrder(tenant, accountId, { location: { ...LOCATION, [member]: value } });
      expect(status).toBe(400);
      expect(body.error).toMatchObject({ code: 'INVALID_PARAMETERS', details: { field: `location.${member}` } });
    },
  );

  test('an internet order for a location where no technology is available returns 400 LOCATION_NOT_SERVICEABLE', async () => {
    const location = { ...LOCATION, city: 'Utqiagvik', state: 'AK', zip: '99723' };
    const { status, body } = await placeOrder(tenant, accountId, { location });
    expect(status).toBe(400);
    expect(body.error).toMatchObject({ code: 'LOCATION_NOT_SERVICEABLE', details: { location } });
  });

  test('an internet order for a technology that is unavailable at the location returns 400 with the available technologies', async () => {
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

  test('an internet order for more than the available bandwidth returns 400 INSUFFICIENT_BANDWIDTH with the available bandwidth', async () => {
    const { status, body } = await placeOrder(tenant, accountId, { location: KEY_WEST, service_type: 'cable' });
    expect(status).toBe(400);
    expect(body.error).toMatchObject({ code: 'INSUFFICIENT_BANDWIDTH', details: { requested: '1000mbps', available: '500mbps' } });
  });

  test('an internet order for an unknown account or an account of another organization returns 404 RESOURCE_NOT_FOUND', async () => {
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
  ])('an internet order for an account that is %s returns 409 %s until the account is active again', async (status, code) => {
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

  test('an internet order without services:create returns 403 INSUFFICIENT_PERMISSIONS', async () => {
    const limited = await tenant.limitedTo('services:read', 'accounts:read');
    const { status, body } = await limited.rest('POST', '/connectivity/internet', { body: internetOrder(accountId) });
    expect(status).toBe(403);
    expect(body.error).toMatchObject({ code: 'INSUFFICIENT_PERMISSIONS', details: { required: 'services:create' } });
  });

  test('an invalid internet order creates no service', async () => {
    const own = await tenantWithAccount();
    await placeOrder(own.tenant, own.accountId, { sla: 'platinum' });
    const { body } = await own.tenant.rest('GET', '/services');
    expect(body.data).toEqual([]);
  });
});
