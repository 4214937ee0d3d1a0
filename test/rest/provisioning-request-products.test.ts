import { beforeAll, describe, expect, test } from 'vitest';
import { products } from '../../subgraphs/services/products/registry.ts';
import { LOCATION } from '../billing.setup.ts';
import { completeRequest, inDays, readRequest, requested, requestProvisioning, requestThatIs, stepsIn } from '../provisioning.setup.ts';
import { rig } from '../rig.ts';
import { tenantWithAccount } from '../services.setup.ts';
import { onlyTable, rows } from '../support/tables.ts';
import type { Json, RestResponse, Tenant } from '../tenant.ts';

const DAY_MS = 86_400_000;
const SITES = [
  { id: 'hq', address: '350 Fifth Avenue', role: 'hub' },
  { id: 'branch', address: '1 Main Street', role: 'spoke' },
];
const TRUNK = { service_template: 'sip_trunking', customizations: { channels: 10, codec: 'g729' } };
const NETWORK = {
  service_template: 'mpls_network',
  customizations: { bandwidth: '500mbps', topology: 'hub_and_spoke', locations: SITES, redundancy: true },
};
const LINE = { service_template: 'business_fiber', customizations: { bandwidth: '500mbps', monitoring: true }, location: LOCATION };

/** A complete request for each product. */
const COMPLETE: Readonly<Record<string, Json>> = { internet: LINE, network: NETWORK, sip_trunk: TRUNK };

let tenant: Tenant;
beforeAll(async () => {
  ({ tenant } = await tenantWithAccount());
});

const change = (id: string, body: Json): Promise<RestResponse> => tenant.rest('PUT', `/services/provision/${id}`, { body });
const serviceOf = async ({ service_id }: Json): Promise<Json> => (await tenant.rest('GET', `/services/${service_id}`)).body.data;
const fieldsOf = ({ body }: RestResponse): string[] => body.error.details.errors.map(({ field }: Json) => field).toSorted();
/** The customizations that earlier releases find in a provisioning request for another product than an internet line. */
const NO_LINE = { bandwidth: '', redundancy: false, monitoring: false };
/** Overwrites the customizations of a provisioning request in the database, for example as another release stores them. */
const stored = async (id: string, customizations: object): Promise<void> =>
  (await onlyTable('services.provisioning_request')).set('customizations', JSON.stringify(customizations), 'id', id);
/** Orders the service of a provisioning request with POST /services, and returns the service. */
const ordered = async ({ service_template, customizations, ...more }: Json): Promise<Json> => {
  const { bandwidth, ...configuration } = customizations;
  const body = { ...more, catalog_id: service_template, bandwidth, configuration };
  return (await tenant.rest('POST', '/services', { body })).body.data;
};

describe('a provisioning request for any product', () => {
  test.each(products.map(({ type }) => type as string))(
    'a complete provisioning request for the product %s orders the same service at the same price as POST /services',
    async (type) => {
      const request = { ...COMPLETE[type], features: type === 'internet' ? ['static_ip'] : [] };
      const taken = await requested(tenant, request);
      expect(taken).toMatchObject({
        status: 'acknowledged',
        missing: [],
        customizations: request.customizations,
        features: request.features,
      });
      const completed = await requestThatIs('completed', tenant, taken.id);
      expect(stepsIn(completed)).toBe('information completed, schedule skipped, order completed, build completed');
      const expected = await ordered(request);
      const { type: kind, catalog_id, bandwidth, location, monthly_price, one_time_fee, name, features } = expected;
      expect(kind).toBe(type);
      const service = await serviceOf(taken);
      expect(service).toMatchObject({ type, catalog_id, bandwidth, location, monthly_price, one_time_fee, name, features });
      expect(service.configuration).toMatchObject(expected.configuration);
    },
  );

  test.each([
    ['a SIP trunk', 'sip_trunking', ['channels']],
    ['a network', 'mpls_network', ['bandwidth', 'topology', 'locations']],
    ['an internet line', 'business_fiber', ['location', 'bandwidth']],
  ])('an empty provisioning request for %s lists everything that its order needs as missing', async (_, service_template, missing) => {
    const { body } = await requestProvisioning(tenant, { service_template });
    expect(body.data).toMatchObject({ status: 'pending', missing, expected_completion: null, service_id: null });
    expect(stepsIn(body.data)).toBe('information running, schedule skipped, order pending, build pending');
    expect(await readRequest(tenant, body.data.id)).toEqual(body.data);
  });

  test('a provisioning request for a network is ordered when its sites are supplied, and keeps no option that was replaced', async () => {
    const { bandwidth, topology } = NETWORK.customizations;
    const { id, ...pending } = await requested(tenant, { service_template: 'mpls_network', customizations: { bandwidth, topology } });
    expect(pending).toMatchObject({ missing: ['locations'], status_reason: 'Waits for customizations.locations.' });
    const { status, body } = await change(id, { customizations: NETWORK.customizations });
    expect([status, body.data]).toMatchObject([200, { status: 'acknowledged', missing: [], customizations: NETWORK.customizations }]);
    expect(await serviceOf(body.data)).toMatchObject({ type: 'network', location: null, bandwidth: '500mbps' });
  });

  test('a pending provisioning request can be changed to another product, and then requires the data that this product needs', async () => {
    const { id } = await requested(tenant, { service_template: 'business_fiber', customizations: { bandwidth: '500mbps' } });
    const { body } = await change(id, { service_template: 'mpls_network' });
    expect(body.data).toMatchObject({ missing: ['topology', 'locations'], customizations: { bandwidth: '500mbps' } });
    expect(Object.keys(body.data.customizations)).toEqual(['bandwidth']);
    const refused = await change(id, { service_template: 'sip_trunking' });
    expect([refused.status, fieldsOf(refused)]).toEqual([400, ['customizations.bandwidth']]);
  });

  test.each([
    [TRUNK, { channels: 0, codec: 'mp3', colour: 'red' }, ['customizations.channels', 'customizations.codec', 'customizations.colour']],
    [TRUNK, { channels: 5, bandwidth: '500mbps' }, ['customizations.bandwidth']],
    [TRUNK, { codec: 'mp3' }, ['customizations.codec']],
    [TRUNK, { channels: null }, ['customizations.channels']],
    [NETWORK, { ...NETWORK.customizations, locations: null }, ['customizations.locations']],
    [NETWORK, { ...NETWORK.customizations, bandwidth: null }, ['customizations.bandwidth']],
    [LINE, { bandwidth: '500mbps', channels: 5 }, ['customizations.channels']],
    [NETWORK, { ...NETWORK.customizations, topology: 'star' }, ['customizations.topology']],
    [NETWORK, { ...NETWORK.customizations, locations: [SITES[0]] }, ['customizations.locations']],
    [
      NETWORK,
      { ...NETWORK.customizations, locations: [SITES[0], SITES[0]] },
      ['customizations.locations', 'customizations.locations.1.id'],
    ],
    [NETWORK, { locations: [{ id: 'hq' }, SITES[1]] }, ['customizations.locations.0.address']],
    [NETWORK, { bandwidth: '7gbps', colour: 'red' }, ['customizations.bandwidth', 'customizations.colour']],
  ])('the error of a provisioning request names all invalid customizations: %j with %j', async (request, customizations, fields) => {
    const refused = await requestProvisioning(tenant, { ...request, customizations });
    expect([refused.status, fieldsOf(refused)]).toEqual([400, fields]);
    const { id } = await requested(tenant, { service_template: request.service_template });
    const unchanged = await change(id, { customizations });
    expect([unchanged.status, fieldsOf(unchanged)]).toEqual([400, fields]);
    expect((await readRequest(tenant, id)).status).toBe('pending');
  });

  test('a provisioning request has its features without duplicates, in the order of the catalog, and null removes them all', async () => {
    const features = ['managed_router', 'static_ip', 'managed_router'];
    const { id, ...pending } = await requested(tenant, { service_template: 'business_fiber', features });
    expect(pending.features).toEqual(['static_ip', 'managed_router']);
    expect((await change(id, { name: 'Annex' })).body.data.features).toEqual(['static_ip', 'managed_router']);
    expect((await change(id, { features: null })).body.data.features).toEqual([]);
  });

  test('a provisioning request for a network whose site is connected by an unknown service returns 404', async () => {
    const locations = [{ ...SITES[0], service_id: 'svc_00000000000000000000000000' }, SITES[1]];
    const { status, body } = await requestProvisioning(tenant, { ...NETWORK, customizations: { ...NETWORK.customizations, locations } });
    expect([status, body.error.details.resource]).toEqual([404, 'service']);
  });

  test('an incomplete provisioning request with a feature but without a feature that it needs returns 409', async () => {
    const { status, body } = await requestProvisioning(tenant, { service_template: 'business_fiber', features: ['ddos_protection'] });
    expect([status, body.error.details]).toMatchObject([409, { requires: ['static_ip'] }]);
  });

  test('a scheduled provisioning request for a SIP trunk starts on its date, and is listed together with a request for an internet line', async () => {
    const own = await tenantWithAccount();
    const schedule = { preferred_date: inDays(2) };
    const { id } = await requested(own.tenant, { ...TRUNK, deployment_schedule: schedule });
    const line = await requested(own.tenant, completeRequest(own.accountId, { deployment_schedule: schedule }));
    await (await rig()).advance(2 * DAY_MS);
    await requestThatIs('completed', own.tenant, id);
    await requestThatIs('completed', own.tenant, line.id);
    const { data } = (await own.tenant.rest('GET', '/services/provision')).body;
    expect(data.map(({ customizations }: Json) => customizations)).toEqual([line.customizations, TRUNK.customizations]);
  });

  test.each([
    ['does not allow its options', { needs: ['channels'], options: { channels: 1001 } }, 'customizations.channels: must be 1 to 1000'],
    ['needs more than before', { needs: [], options: {} }, 'customizations.channels: is required'],
  ])('a scheduled provisioning request fails with a reason that names the REST field if its product now %s', async (_, terms, reason) => {
    const { id } = await requested(tenant, { ...TRUNK, deployment_schedule: { preferred_date: inDays(1) } });
    await stored(id, { ...NO_LINE, terms: { type: 'sip_trunk', features: [], quoteId: null, quoteLine: null, ...terms } });
    await (await rig()).advance(DAY_MS);
    expect((await requestThatIs('failed', tenant, id)).status_reason).toBe(reason);
  });
});

describe('provisioning requests of earlier releases', () => {
  test('a pending provisioning request that an earlier version of the platform stored keeps its customizations, and its service can be ordered', async () => {
    const { id } = await requested(tenant, { service_template: 'business_fiber' });
    const customizations = { bandwidth: '1000mbps', redundancy: true, monitoring: false };
    await stored(id, customizations);
    expect(await readRequest(tenant, id)).toMatchObject({ customizations, missing: ['location'], features: [], quote_id: null });
    const { body } = await change(id, { location: LOCATION });
    expect(body.data.status).toBe('acknowledged');
    expect((await serviceOf(body.data)).configuration).toEqual({ redundancy: true, monitoring: false });
  });

  test.each([
    [LINE, '500mbps'],
    [{ ...LINE, features: ['static_ip'] }, ''],
    [NETWORK, ''],
    [TRUNK, ''],
  ])('earlier releases can read the request %j, and find no bandwidth if they would order a wrong service', async (request, bandwidth) => {
    const { id } = await requested(tenant, { ...request, deployment_schedule: { preferred_date: inDays(300) } });
    const [row] = await (await rows()).query<Json>('select customizations from services.provisioning_request where id = $1', [id]);
    expect(row?.customizations).toMatchObject({ bandwidth, redundancy: expect.any(Boolean), monitoring: expect.anything() });
  });

  test.each([
    [LINE, 'services.provisioning-request'],
    [{ ...LINE, features: ['static_ip'] }, 'services.provisioning-request-any'],
    [TRUNK, 'services.provisioning-request-any'],
  ])('the job that starts request %j is in the queue %s, so that earlier releases take only jobs they can do', async (request, queue) => {
    const { id } = await requested(tenant, { ...request, deployment_schedule: { preferred_date: inDays(300) } });
    const jobs = await (await rows()).query<Json>(`select name from pgboss.job where data->>'requestId' = $1`, [id]);
    expect(jobs).toEqual([{ name: queue }]);
  });
});

describe('options of a provisioning request over GraphQL', () => {
  const ASK = `mutation ($input: ProvisioningRequestInput!) {
    requestProvisioning(input: $input) { id missing options customizations { bandwidth redundancy monitoring } }
  }`;

  test('GraphQL returns the options of any product, and repeats the options of internet lines in the deprecated field', async () => {
    const { data } = await tenant.graphql(ASK, { input: { serviceTemplate: 'mpls_network', options: { bandwidth: '500 Mbps' } } });
    expect(data.requestProvisioning).toMatchObject({
      missing: ['TOPOLOGY', 'LOCATIONS'],
      options: { bandwidth: '500mbps' },
      customizations: { bandwidth: '500mbps', redundancy: false, monitoring: false },
    });
  });

  test('GraphQL names a wrong option by the field that was sent, and refuses options and customizations in one request', async () => {
    const problemOf = async (input: object): Promise<Json> => {
      const { errors } = await tenant.graphql(ASK, { input: { serviceTemplate: 'business_fiber', ...input } });
      return errors?.[0]?.extensions.details.field;
    };
    expect(await problemOf({ options: { bandwidth: '700mbps' } })).toMatch(/options\.bandwidth$/);
    expect(await problemOf({ customizations: { bandwidth: '700mbps' } })).toMatch(/customizations\.bandwidth$/);
    expect(await problemOf({ options: { bandwidth: '1gbps' }, customizations: { bandwidth: '1gbps' } })).toMatch(/customizations$/);
  });
});
