import { beforeAll, describe, expect, test } from 'vitest';
import { eventually } from '../rig.ts';
import { serviceThatIs, settledRecord, tenantWithAccount } from '../services.setup.ts';
import type { Json, RestResponse, Tenant } from '../tenant.ts';

let tenant: Tenant;
let accountId: string;
beforeAll(async () => {
  ({ tenant, accountId } = await tenantWithAccount());
});

const HUB = { id: 'loc_hq', address: '350 Fifth Avenue', role: 'hub' };
const spoke = (n: number): object => ({ id: `loc_${n}`, address: `${n} Main Street`, role: 'spoke' });
const NETWORK = { network_type: 'mpls', topology: 'hub_and_spoke', locations: [HUB, spoke(1)], bandwidth: '500mbps' };

const deploy = (more: object = {}): Promise<RestResponse> =>
  tenant.rest('POST', '/connectivity/networks', { body: { ...NETWORK, account_id: accountId, ...more } });
const read = async (id: string): Promise<Json> => (await tenant.rest('GET', `/connectivity/networks/${id}`)).body.data;
const settled = (id: string): Promise<Json> =>
  settledRecord(
    () => read(id),
    ({ status }) => status === 'operational',
  );
const deployed = async (more: object = {}): Promise<Json> => {
  const { status, body } = await deploy(more);
  if (status !== 201) throw new Error(JSON.stringify(body));
  return settled(body.data.id);
};
const update = (id: string, body: object): Promise<RestResponse> => tenant.rest('PUT', `/connectivity/networks/${id}`, { body });
const fieldsOf = ({ body }: RestResponse): string[] => body.error.details.errors.map(({ field }: Json) => field);

describe('ordering a network', () => {
  test('a network is pending until it is built, and each site is billed', async () => {
    const { status, body } = await deploy({ sla: 'business', features: ['encryption'], redundancy: true });
    expect([status, body.data]).toMatchObject([
      201,
      {
        id: expect.stringMatching(/^svc_/),
        network_type: 'mpls',
        topology: 'hub_and_spoke',
        status: 'pending',
        bandwidth: '500mbps',
        redundancy: true,
        locations: [HUB, spoke(1)],
        monthly_price: 1067.2, // 2 x 449 x 1.15 + 2 x 15 x 1.15
        name: 'MPLS Network',
      },
    ]);
    expect(await settled(body.data.id)).toMatchObject({ status: 'operational' });
  });

  test('POST /services creates the same network at the same price', async () => {
    const { topology, locations, bandwidth } = NETWORK;
    const { body } = await tenant.rest('POST', '/services', {
      body: { catalog_id: 'mpls_network', account_id: accountId, bandwidth, configuration: { topology, locations } },
    });
    const { id: _, created_at: __, updated_at: ___, ...same } = (await deploy()).body.data;
    expect(await settled(body.data.id)).toMatchObject({
      ...same,
      status: 'operational',
      provisioned_at: expect.anything(),
      revision: expect.anything(),
    });
    expect(body.data).toMatchObject({ type: 'network', monthly_price: same.monthly_price, configuration: { topology, locations } });
  });

  test('a network of 200 sites can be ordered', async () => {
    const { body } = await deploy({ locations: [HUB, ...Array.from({ length: 199 }, (_, n) => spoke(n))] });
    expect(body.data.locations).toHaveLength(200);
  });

  test.each([
    ['one site', { locations: [HUB] }, ['locations']],
    ['201 sites', { locations: [HUB, ...Array.from({ length: 200 }, (_, n) => spoke(n))] }, ['locations']],
    ['no hub', { locations: [spoke(1), spoke(2)] }, ['locations']],
    ['no spoke', { locations: [HUB, { ...HUB, id: 'loc_2' }] }, ['locations']],
    ['a site without a role', { locations: [HUB, { id: 'a', address: 'b' }, spoke(1)] }, ['locations.1.role']],
    ['a repeated site', { locations: [HUB, spoke(1), spoke(1)] }, ['locations.2.id']],
    ['three sites for point_to_point', { topology: 'point_to_point', locations: [HUB, spoke(1), spoke(2)] }, ['locations']],
    ['two sites for a ring', { topology: 'ring' }, ['locations']],
    ['a bandwidth that is not sold', { bandwidth: '700mbps' }, ['bandwidth']],
    [
      'an unknown topology and an empty id',
      { topology: 'star', locations: [{ ...HUB, id: '' }, spoke(1)] },
      ['locations.0.id', 'topology'],
    ],
    ['an unknown field of a site', { locations: [{ ...HUB, color: 'red' }, spoke(1)] }, ['locations.0.color']],
  ])('a network with %s returns 400 with the field', async (_, more, fields) => {
    const response = await deploy(more);
    expect([response.status, fieldsOf(response).sort()]).toEqual([400, fields]);
  });

  test('a full mesh network needs no site roles', async () => {
    const { status } = await deploy({
      topology: 'full_mesh',
      locations: [
        { id: 'a', address: 'One' },
        { id: 'b', address: 'Two' },
      ],
    });
    expect(status).toBe(201);
  });

  test('a site can be connected by an internet line of the same account, and by no other service', async () => {
    const line = await serviceThatIs('operational', tenant, accountId);
    const withLine = (service_id: string): Promise<RestResponse> => deploy({ locations: [{ ...HUB, service_id }, spoke(1)] });
    expect((await withLine(line.id)).body.data.locations[0].service_id).toBe(line.id);
    const network = await deployed();
    expect((await withLine(network.id)).body.error.code).toBe('SERVICE_CONFLICT');
    expect((await withLine('svc_01JQ8Z6V4T9M3N2B1C0D9E8F7G')).status).toBe(404);
    const { tenant: stranger, accountId: theirs } = await tenantWithAccount();
    const foreign = await serviceThatIs('operational', stranger, theirs);
    expect((await withLine(foreign.id)).status).toBe(404);
  });

  test('a site whose address the provider rejects makes the whole network fail', async () => {
    const { body } = await deploy({ locations: [HUB, { ...spoke(1), address: 'FAIL-PERMANENT 1' }] });
    const failed = await eventually(async () => {
      const network = await read(body.data.id);
      return network.status === 'failed' && network;
    });
    expect(failed.status_reason).toContain('FAIL-PERMANENT');
  });
});

describe('changing a network', () => {
  test('an update can add and remove sites of a network, and the price changes with the number of sites', async () => {
    const { id } = await deployed();
    const { status, body } = await update(id, { locations: [HUB, spoke(2), spoke(3)] });
    expect([status, body.data]).toMatchObject([200, { monthly_price: 898, pending_changes: [{ price_difference: 449 }] }]);
    const changed = await settled(id);
    expect([changed.locations.map((site: Json) => site.id), changed.monthly_price]).toEqual([['loc_hq', 'loc_2', 'loc_3'], 1347]);
  });

  test('bandwidth, topology and name of a network can be changed by one request', async () => {
    const { id } = await deployed();
    await update(id, { bandwidth: '1gbps', topology: 'full_mesh', name: 'Backbone' });
    expect(await settled(id)).toMatchObject({ bandwidth: '1000mbps', topology: 'full_mesh', name: 'Backbone', monthly_price: 1398 });
  });

  test('removing the last hub of a network returns 400 and changes nothing', async () => {
    const { id } = await deployed();
    const response = await update(id, { locations: [spoke(1), spoke(2)] });
    expect([response.status, fieldsOf(response)]).toEqual([400, ['locations']]);
    expect(await read(id)).toMatchObject({ locations: [HUB, spoke(1)], pending_changes: [] });
  });

  test('a network can be changed, scaled and ended with the operations of /services', async () => {
    const { id } = await deployed();
    await tenant.rest('PUT', `/services/${id}/features`, { body: { features: { traffic_shaping: true } } });
    await settled(id);
    await tenant.rest('PUT', `/services/${id}/scaling`, { body: { scaling_action: 'scale_down', new_bandwidth: '100mbps' } });
    expect(await settled(id)).toMatchObject({ bandwidth: '100mbps', features: ['traffic_shaping'], monthly_price: 538 }); // 2 x 249 + 2 x 20
    await tenant.rest('DELETE', `/services/${id}`);
    await eventually(async () => (await read(id)).status === 'decommissioned');
  });

  test('an internet service is not a network, and a network is not an internet service', async () => {
    const line = await serviceThatIs('operational', tenant, accountId);
    const { id } = await deployed();
    expect((await update(line.id, { name: 'Other' })).status).toBe(404);
    expect((await tenant.rest('PUT', `/connectivity/internet/${id}`, { body: { name: 'Other' } })).status).toBe(404);
    expect((await tenant.rest('GET', `/connectivity/networks/${line.id}`)).status).toBe(404);
  });
});

test('the list of networks contains only networks of the caller', async () => {
  const { tenant: other } = await tenantWithAccount();
  expect((await other.rest('GET', '/connectivity/networks')).body.data).toEqual([]);
  const { body } = await tenant.rest('GET', '/connectivity/networks?per_page=200');
  expect(body.data.length).toBeGreaterThan(3);
  expect(new Set(body.data.map(({ network_type }: Json) => network_type))).toEqual(new Set(['mpls']));
});

test('in a list of services of several products, the detail field of each service has the type of its product', async () => {
  const { tenant: mixed, accountId: itsAccount } = await tenantWithAccount();
  await serviceThatIs('operational', mixed, itsAccount);
  await mixed.rest('POST', '/connectivity/networks', { body: NETWORK });
  const query = `{ services { nodes { type detail { __typename ... on ProductService { id name service { id } } ... on InternetLine { technology } ... on Network { topology locations { id role } } } } } }`;
  const { data, errors } = await mixed.graphql(query);
  expect(errors ?? []).toEqual([]);
  const details = data.services.nodes.map(({ detail }: Json) => detail);
  expect(details).toMatchObject([
    { __typename: 'Network', topology: 'HUB_AND_SPOKE', locations: [{ id: 'loc_hq', role: 'HUB' }, {}] },
    { __typename: 'InternetLine', technology: 'FIBER' },
  ]);
  for (const { id, service } of details) expect(service.id).toBe(id);
});
