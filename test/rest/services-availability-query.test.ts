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
/** Parameter names of the query, which has no `location` and takes a list as one parameter. */
const fieldsOf = (body: Json) => body.error.details.errors.map(({ field }: Json) => field.replace(/^location\.|\.\d+$/, '')).sort();

describe('availability by query', () => {
  test.each([
    ['with service', LOCATION],
    ['given by a nine-digit ZIP code', { ...LOCATION, zip: '10118-0110' }],
    ['whose state is in lower case', { ...LOCATION, state: 'ny' }],
    ['without service', { ...LOCATION, state: 'AK', zip: '99723' }],
    ['that is unknown', { ...LOCATION, state: 'ME', zip: '04730' }],
  ])('availability by query for a location %s equals the result of the availability check', async (_, location) => {
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
  ])('availability by query with %s equals the result of the check with the same requirements', async (query, requirements) => {
    const { status, body } = await at(LOCATION, query);
    expect(status).toBe(200);
    expect(body.data).toEqual((await check({ location: LOCATION, ...requirements })).body.data);
  });

  test('availability by query requires only the ZIP code', async () => {
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
  ])('availability by query with %s is refused with the same errors as the availability check', async (_, location, more, fields) => {
    const { status, body } = await at(location, `&${new URLSearchParams(more as Record<string, string>)}`);
    expect([status, body.error.code]).toEqual([400, 'INVALID_PARAMETERS']);
    expect(fieldsOf(body)).toEqual(fields);
    const { status: checkedStatus, body: checked } = await check({ location, ...more });
    expect([checkedStatus, checked.error.code, fieldsOf(checked)]).toEqual([status, body.error.code, fields]);
  });

  test('availability by query without a ZIP code is refused', async () => {
    const { status, body } = await read('?state=NY');
    expect([status, body.error.code, fieldsOf(body)]).toEqual([400, 'INVALID_PARAMETERS', ['zip']]);
  });

  test('availability by query requires services:read', async () => {
    const limited = await tenant.limitedTo('billing:read');
    const { status, body } = await limited.rest('GET', '/services/availability?zip=10118');
    expect([status, body.error.code]).toEqual([403, 'INSUFFICIENT_PERMISSIONS']);
  });

  test('availability by query is the same over GraphQL', async () => {
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
