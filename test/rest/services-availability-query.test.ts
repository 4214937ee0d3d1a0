import { beforeAll, describe, expect, test } from 'vitest';
import { LOCATION } from '../billing.setup.ts';
import { rig } from '../rig.ts';
import type { Json, Tenant } from '../tenant.ts';

let tenant: Tenant;
beforeAll(async () => {
  tenant = await (await rig()).organization();
});

const read = (query: string) => tenant.rest('GET', `/services/availability${query}`);
const check = (body: Json) => tenant.rest('POST', '/services/availability/check', { body });
const at = (location: Json, more = '') => read(`?${new URLSearchParams(location)}${more}`);
/** The invalid fields, with the names of the query parameters: without `location.` and without list positions. */
const fieldsOf = (body: Json) => body.error.details.errors.map(({ field }: Json) => field.replace(/^location\.|\.\d+$/, '')).sort();

describe('availability by query', () => {
  test.each([
    ['with service', LOCATION],
    ['with a nine-digit ZIP code', { ...LOCATION, zip: '10118-0110' }],
    ['with the state in lower case', { ...LOCATION, state: 'ny' }],
    ['without service', { ...LOCATION, state: 'AK', zip: '99723' }],
    ['with an unknown ZIP code', { ...LOCATION, state: 'ME', zip: '04730' }],
  ])('GET /services/availability for a location %s returns the same result as the availability check by POST', async (_, location) => {
    const { status, body } = await at(location);
    expect(status).toBe(200);
    expect(body.data).toEqual((await check({ location })).body.data);
  });

  test.each([
    ['&service_types=dsl,fiber', { service_types: ['dsl', 'fiber'] }],
    ['&service_types=dsl&service_types=fiber', { service_types: ['dsl', 'fiber'] }],
    ['&service_types=fiber', { service_types: ['fiber'] }],
    ['&bandwidth_requirements=1gbps', { bandwidth_requirements: '1gbps' }],
    ['&service_types=fiber,dsl&bandwidth_requirements=1gbps', { service_types: ['fiber', 'dsl'], bandwidth_requirements: '1gbps' }],
  ])(
    'GET /services/availability with %s returns the same result as the POST check with these requirements',
    async (query, requirements) => {
      const { status, body } = await at(LOCATION, query);
      expect(status).toBe(200);
      expect(body.data).toEqual((await check({ location: LOCATION, ...requirements })).body.data);
    },
  );

  test('GET /services/availability requires only the ZIP code', async () => {
    const { status, body } = await read('?zip=10118');
    const { body: checked } = await check({ location: LOCATION });
    expect(status).toBe(200);
    expect(body.data).toEqual({ ...checked.data, location: { address: null, city: null, state: null, zip: '10118' } });
  });

  test.each([
    ['an invalid ZIP code', { ...LOCATION, zip: '1011' }, {}, ['zip']],
    ['a state that does not match the ZIP code', { ...LOCATION, state: 'NJ' }, {}, ['state']],
    ['an empty city', { ...LOCATION, city: '' }, {}, ['city']],
    ['an unknown service type', LOCATION, { service_types: ['pigeon'] }, ['service_types']],
    ['an invalid bandwidth', LOCATION, { bandwidth_requirements: 'fast' }, ['bandwidth_requirements']],
    ['an unknown parameter', LOCATION, { bandwith: '1gbps' }, ['bandwith']],
    [
      'several invalid parameters',
      { ...LOCATION, zip: '1011', state: 'New York' },
      { bandwidth_requirements: 'fast' },
      ['bandwidth_requirements', 'state', 'zip'],
    ],
  ])('GET /services/availability with %s returns 400 with the same errors as the POST check', async (_, location, more, fields) => {
    const { status, body } = await at(location, `&${new URLSearchParams(more as Record<string, string>)}`);
    expect([status, body.error.code]).toEqual([400, 'INVALID_PARAMETERS']);
    expect(fieldsOf(body)).toEqual(fields);
    const { status: checkedStatus, body: checked } = await check({ location, ...more });
    expect([checkedStatus, checked.error.code, fieldsOf(checked)]).toEqual([status, body.error.code, fields]);
  });

  test('GET /services/availability without a ZIP code returns 400 INVALID_PARAMETERS', async () => {
    const { status, body } = await read('?state=NY');
    expect([status, body.error.code, fieldsOf(body)]).toEqual([400, 'INVALID_PARAMETERS', ['zip']]);
  });

  test('GET /services/availability without services:read returns 403 INSUFFICIENT_PERMISSIONS', async () => {
    const limited = await tenant.limitedTo('billing:read');
    const { status, body } = await limited.rest('GET', '/services/availability?zip=10118');
    expect([status, body.error.code]).toEqual([403, 'INSUFFICIENT_PERMISSIONS']);
  });

  test('the GraphQL field availabilityByZip returns the availability by ZIP code and service type', async () => {
    const { data } = await tenant.graphql(
      `{ availabilityByZip(location: { zip: "10118" }, requirements: { serviceTypes: [FIBER] }) {
        location { zip city } serviceable services { serviceType available bandwidth }
      } }`,
    );
    expect(data.availabilityByZip).toEqual({
      location: { zip: '10118', city: null },
      serviceable: true,
      services: [{ serviceType: 'FIBER', available: true, bandwidth: '10000mbps' }],
    });
  });
});
