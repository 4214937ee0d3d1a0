import { beforeAll, describe, expect, test } from 'vitest';
import { LOCATION } from '../billing.setup.ts';
import { eventually, rig } from '../rig.ts';
import { serviceThatIs, settledRecord, tenantWithAccount } from '../services.setup.ts';
import type { Json, RestResponse, Tenant } from '../tenant.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

let tenant: Tenant;
let accountId: string;
beforeAll(async () => {
  ({ tenant, accountId } = await tenantWithAccount());
});

/** An operational fiber line with 500 Mbit/s and the service level standard (199.00 a month). */
const line = (more: object = {}): Promise<Json> =>
  serviceThatIs('operational', tenant, accountId, { bandwidth: '500mbps', sla: 'standard', ...more });
const put = (path: string, body: object, headers?: Record<string, string>): Promise<RestResponse> =>
  tenant.rest('PUT', path, { body, ...(headers && { headers }) });
const update = (id: string, body: object): Promise<RestResponse> => put(`/services/${id}`, body);
const read = async (id: string): Promise<Json> => (await tenant.rest('GET', `/services/${id}`)).body.data;
const changesOf = async (id: string): Promise<Json[]> => (await tenant.rest('GET', `/services/${id}/changes`)).body.data;
const settled = (id: string): Promise<Json> => settledRecord(() => read(id));
const at = async (days: number): Promise<string> => new Date((await rig()).clock.now().getTime() + days * DAY_MS).toISOString();
const modified = async (id: string): Promise<Json[]> => {
  const query = `query ($id: ID!) { events(filter: { subjectId: [$id], event: ["service.modified"] }) { nodes { payload } } }`;
  const { data } = await tenant.graphql(query, { id });
  return data.events.nodes.map(({ payload }: Json) => (typeof payload === 'string' ? JSON.parse(payload) : payload).data);
};

describe('PUT /services/{id}', () => {
  test('a new bandwidth is a pending change until the provider has made it, and then changes the price', async () => {
    const { id } = await line();
    const { status, body } = await update(id, { bandwidth: '1gbps' });
    expect([status, body.data]).toMatchObject([
      200,
      {
        bandwidth: '500mbps',
        monthly_price: 199,
        pending_changes: [
          {
            kind: 'modification',
            changes: { bandwidth: { from: '500mbps', to: '1000mbps' }, monthly_price: { from: 199, to: 299 } },
            price_difference: 100,
          },
        ],
      },
    ]);
    expect(await settled(id)).toMatchObject({ bandwidth: '1000mbps', monthly_price: 299, status: 'operational' });
    expect(await changesOf(id)).toMatchObject([{ status: 'completed', history: [{}, { to: 'in_progress' }, { to: 'completed' }] }]);
  });

  test('a new name is applied immediately, without an order to the provider', async () => {
    const { id } = await line();
    const { body } = await update(id, { name: 'Headquarters', contacts: { technical: 'noc@acme.example.com' } });
    expect(body.data).toMatchObject({ name: 'Headquarters', contacts: { technical: 'noc@acme.example.com' }, pending_changes: [] });
    expect(await changesOf(id)).toMatchObject([{ kind: 'modification', status: 'completed', price_difference: 0 }]);
  });

  test('an update without a difference changes nothing and creates no change', async () => {
    const { id, revision } = await line();
    const { status, body } = await update(id, { bandwidth: '500mbps', sla: 'standard' });
    expect([status, body.data.revision]).toEqual([200, revision]);
    expect(await changesOf(id)).toEqual([]);
  });

  test('all problems of an update are listed, and nothing is changed', async () => {
    const { id } = await line();
    const { status, body } = await update(id, {
      bandwidth: '300mbps',
      sla: 'platinum',
      configuration: { redundancy: 'yes', color: 'red' },
    });
    expect([status, body.error.code]).toEqual([400, 'INVALID_PARAMETERS']);
    expect(body.error.details.errors.map(({ field }: Json) => field).sort()).toEqual([
      'bandwidth',
      'configuration.color',
      'configuration.redundancy',
      'sla',
    ]);
    expect(await changesOf(id)).toEqual([]);
  });

  test('a bandwidth that the technology does not reach returns 400 INSUFFICIENT_BANDWIDTH', async () => {
    const { id } = await line({ location: { address: '1 Beale Street', city: 'Memphis', state: 'TN', zip: '38103' } });
    const { status, body } = await update(id, { bandwidth: '2gbps' });
    expect([status, body.error.code]).toEqual([400, 'INSUFFICIENT_BANDWIDTH']);
  });

  test('of two updates with the same entity tag, one is applied and one returns 409 STALE_RESOURCE', async () => {
    const { id } = await line();
    const { headers } = await tenant.rest('GET', `/services/${id}`);
    const etag = headers.get('etag') ?? '';
    const responses = await Promise.all(['One', 'Two'].map((name) => put(`/services/${id}`, { name }, { 'if-match': etag })));
    expect(responses.map(({ status }) => status).sort()).toEqual([200, 409]);
    expect(responses.find(({ status }) => status === 409)?.body.error.code).toBe('STALE_RESOURCE');
  });

  test('changes that are ordered while another change is in progress are applied one after another', async () => {
    const { id } = await line();
    await Promise.all([update(id, { bandwidth: '1gbps' }), update(id, { sla: 'business' }), update(id, { name: 'Third' })]);
    expect(await settled(id)).toMatchObject({ bandwidth: '1000mbps', sla: 'business', name: 'Third', monthly_price: 343.85 });
    expect((await changesOf(id)).map(({ status }) => status)).toEqual(['completed', 'completed', 'completed']);
  });

  test.each([
    ['failed', { location: { ...LOCATION, address: 'FAIL-PERMANENT 1' } }],
    ['provisioning', { location: { ...LOCATION, address: 'FAIL-ALWAYS 1' } }],
  ])('a service that is %s cannot be changed', async (status, more) => {
    const { id } = await serviceThatIs(status, tenant, accountId, more);
    const { body } = await update(id, { name: 'Other' });
    expect(body.error).toMatchObject({ code: 'INVALID_STATE', details: { from: status } });
  });

  test('updating a service of another organization returns 404 and does not change the service', async () => {
    const { id } = await line();
    const other = await (await rig()).organization();
    const { status } = await other.rest('PUT', `/services/${id}`, { body: { name: 'Mine' } });
    expect(status).toBe(404);
    expect((await read(id)).name).not.toBe('Mine');
  });

  test('each applied change is one event service.modified with old and new values', async () => {
    const { id } = await line();
    await update(id, { bandwidth: '1gbps' });
    await settled(id);
    const events = await eventually(async () => {
      const found = await modified(id);
      return found.length > 0 && found;
    });
    expect(events).toMatchObject([
      {
        service: {
          id,
          bandwidth: '1000mbps',
          price: { amount: 299, lines: [{ item: 'bandwidth:1000mbps', quantity: 1, unit_price: 299 }] },
        },
        changes: { bandwidth: { from: '500mbps', to: '1000mbps' }, monthly_price: { from: 199, to: 299 } },
      },
    ]);
  });
});

test('PUT /connectivity/internet/{id} changes an internet service', async () => {
  const { id } = await line();
  const { status, body } = await put(`/connectivity/internet/${id}`, { name: 'Branch' });
  expect([status, body.data.name]).toEqual([200, 'Branch']);
});

describe('PUT /services/{id}/configuration', () => {
  test('a configuration update keeps the settings that it omits, and removes the settings whose value is null', async () => {
    const { id } = await line();
    await put(`/services/${id}/configuration`, { configuration: { redundancy: true, monitoring: true } });
    expect((await settled(id)).configuration).toEqual({ redundancy: true, monitoring: true });
    await put(`/services/${id}/configuration`, { configuration: { redundancy: null } });
    expect((await settled(id)).configuration).toEqual({ monitoring: true });
  });
});

describe('PUT /services/{id}/features', () => {
  test('a feature update with an object switches only the named features on or off, and changes the monthly price', async () => {
    const { id } = await line();
    const { status } = await put(`/services/${id}/features`, { features: { static_ip: true, managed_router: true } });
    expect(status).toBe(200);
    expect(await settled(id)).toMatchObject({ features: ['static_ip', 'managed_router'], monthly_price: 239 });
    await put(`/services/${id}/features`, { features: { static_ip: false } });
    expect(await settled(id)).toMatchObject({ features: ['managed_router'], monthly_price: 224 });
  });

  test('a feature update with a list switches the listed features on and all others off', async () => {
    const { id } = await line();
    await put(`/services/${id}/features`, { features: ['static_ip', 'managed_router'] });
    await settled(id);
    await put(`/services/${id}/features`, { features: ['static_ip'] });
    expect(await settled(id)).toMatchObject({ features: ['static_ip'], monthly_price: 214 });
  });

  test('a feature whose required feature is not switched on returns 409 SERVICE_CONFLICT with the missing features', async () => {
    const { id } = await line();
    const { status, body } = await put(`/services/${id}/features`, { features: { ddos_protection: true } });
    expect([status, body.error]).toMatchObject([409, { code: 'SERVICE_CONFLICT', details: { requires: ['static_ip'] } }]);
  });

  test('an unknown feature returns 400 with the features of the catalog', async () => {
    const { id } = await line();
    const { status, body } = await put(`/services/${id}/features`, { features: ['fast_lane'] });
    expect(status).toBe(400);
    expect(body.error.details.errors).toEqual([
      expect.objectContaining({ field: 'features.0', reason: expect.stringContaining('static_ip') }),
    ]);
  });
});

describe('PUT /services/{id}/scaling', () => {
  const scale = (id: string, body: object): Promise<RestResponse> =>
    put(`/services/${id}/scaling`, { scaling_action: 'scale_up', new_bandwidth: '1gbps', ...body });

  test('a scaling without a date is applied immediately', async () => {
    const { id } = await line();
    const { status, body } = await scale(id, {});
    expect([status, body.data]).toMatchObject([200, { kind: 'scaling', price_difference: 100 }]);
    expect(await settled(id)).toMatchObject({ bandwidth: '1000mbps', monthly_price: 299 });
  });

  test('a scheduled scaling changes bandwidth and price only on its date, and does not block other changes until then', async () => {
    const { id } = await line();
    const { body } = await scale(id, { effective_date: await at(7) });
    expect(body.data.status).toBe('acknowledged');
    expect((await update(id, { name: 'Meanwhile' })).body.data.name).toBe('Meanwhile');
    expect(await read(id)).toMatchObject({ bandwidth: '500mbps', monthly_price: 199, pending_changes: [{ id: body.data.id }] });
    await (await rig()).advance(7 * DAY_MS);
    expect(await settled(id)).toMatchObject({ bandwidth: '1000mbps', monthly_price: 299 });
  });

  test('a second scheduled scaling of a service returns 409 SERVICE_CONFLICT with the id of the first scaling', async () => {
    const { id } = await line();
    const first = (await scale(id, { effective_date: await at(7) })).body.data;
    const { status, body } = await scale(id, { effective_date: await at(8) });
    expect([status, body.error]).toMatchObject([409, { code: 'SERVICE_CONFLICT', details: { change_id: first.id } }]);
  });

  test('a scaling that is cancelled is not applied at its date', async () => {
    const { id } = await line();
    const { body } = await scale(id, { effective_date: await at(3) });
    expect((await tenant.rest('DELETE', `/services/${id}/changes/${body.data.id}`)).body.data.status).toBe('cancelled');
    await (await rig()).advance(4 * DAY_MS);
    expect(await read(id)).toMatchObject({ bandwidth: '500mbps', pending_changes: [] });
  });

  test('ending a service cancels its scheduled scaling', async () => {
    const { id } = await line();
    await scale(id, { effective_date: await at(3) });
    await tenant.rest('DELETE', `/services/${id}`);
    const [, scaling] = await changesOf(id);
    expect(scaling).toMatchObject({ kind: 'scaling', status: 'cancelled' });
  });

  test.each([
    ['less bandwidth with scale_up', { new_bandwidth: '100mbps' }, 'new_bandwidth'],
    ['the same bandwidth', { new_bandwidth: '500mbps' }, 'new_bandwidth'],
    ['more bandwidth with scale_down', { scaling_action: 'scale_down' }, 'new_bandwidth'],
    ['a bandwidth that is not sold', { new_bandwidth: '700mbps' }, 'new_bandwidth'],
    ['a date in the past', { effective_date: '2020-01-01T00:00:00Z' }, 'effective_date'],
    ['no size', { new_bandwidth: undefined }, 'new_bandwidth'],
    ['a number of units', { new_bandwidth: undefined, new_size: 5 }, 'new_size'],
  ])('a scaling to %s returns 400 and names the invalid field', async (_, body, field) => {
    const { id } = await line();
    const response = await scale(id, body);
    expect([response.status, response.body.error.details.errors.map((problem: Json) => problem.field)]).toEqual([400, [field]]);
  });
});

describe('POST /services', () => {
  const order = (body: object): Promise<RestResponse> =>
    tenant.rest('POST', '/services', {
      body: { catalog_id: 'business_fiber', account_id: accountId, bandwidth: '500mbps', location: LOCATION, ...body },
    });

  test('POST /services with a catalog id creates the same service, at the same price, as POST /connectivity/internet', async () => {
    const { status, body } = await order({ sla: 'enterprise' });
    const { data } = (
      await tenant.rest('POST', '/connectivity/internet', {
        body: { account_id: accountId, service_type: 'fiber', bandwidth: '500mbps', location: LOCATION, sla: 'enterprise' },
      })
    ).body;
    const { id: _, created_at: __, updated_at: ___, ...same } = data;
    expect([status, body.data]).toMatchObject([201, same]);
  });

  test('POST /services sets the features and the configuration of the new service', async () => {
    const { body } = await order({ sla: 'standard', features: ['static_ip'], configuration: { redundancy: true } });
    expect(body.data).toMatchObject({ features: ['static_ip'], configuration: { redundancy: true }, monthly_price: 214 });
  });

  test.each([
    ['an unknown catalog entry', { catalog_id: 'carrier_pigeon' }, 'catalog_id'],
    ['a catalog entry that cannot be ordered yet', { catalog_id: 'cloud_pbx' }, 'catalog_id'],
    ['no location', { location: undefined }, 'location'],
    ['a setting of another product', { configuration: { topology: 'ring' } }, 'configuration.topology'],
    ['a bandwidth that is not sold', { bandwidth: '700mbps' }, 'bandwidth'],
    ['no bandwidth', { bandwidth: undefined }, 'bandwidth'],
  ])('POST /services with %s returns 400 and names the invalid field', async (_, body, field) => {
    const response = await order(body);
    expect([response.status, response.body.error.details.errors.map((problem: Json) => problem.field)]).toEqual([400, [field]]);
  });
});
