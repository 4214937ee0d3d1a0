import { beforeAll, describe, expect, test } from 'vitest';
import { LOCATION } from '../billing.setup.ts';
import { rig } from '../rig.ts';
import type { Json, Tenant } from '../tenant.ts';

let tenant: Tenant;
beforeAll(async () => {
  tenant = await (await rig()).organization();
});

const check = (body: Json) => tenant.rest('POST', '/services/availability/check', { body });

describe('availability check', () => {
  test('an availability check returns one result for each requested service type', async () => {
    const { status, body } = await check({ location: LOCATION, service_types: ['fiber', 'dsl'], bandwidth_requirements: '1gbps' });
    expect(status).toBe(200);
    expect(body.data).toEqual({
      location: LOCATION,
      serviceable: true,
      services: [
        {
          service_type: 'fiber',
          available: true,
          bandwidth: '10000mbps',
          catalog_id: 'business_fiber',
          providers: [
            { carrier_id: 'atlantic_fiber', name: 'Atlantic Fiber', installation_days: 20 },
            { carrier_id: 'meridian_metro', name: 'Meridian Metro Fiber', installation_days: 15 },
          ],
        },
        {
          service_type: 'dsl',
          available: false,
          bandwidth: '100mbps',
          catalog_id: 'business_dsl',
          providers: [{ carrier_id: 'harbor_cable', name: 'Harbor Cable', installation_days: 7 }],
        },
      ],
      alternatives: [
        expect.objectContaining({ service_type: 'cable', available: true, bandwidth: '1000mbps', catalog_id: 'business_cable' }),
      ],
    });
  });

  test('an availability check without service types returns a result for every service type', async () => {
    const { body } = await check({ location: { ...LOCATION, city: 'Key West', state: 'FL', zip: '33040' } });
    expect(body.data.services).toMatchObject([
      { service_type: 'fiber', available: false, bandwidth: null, catalog_id: 'business_fiber', providers: [] },
      { service_type: 'cable', available: true, bandwidth: '500mbps', catalog_id: 'business_cable' },
      { service_type: 'fixed_wireless', available: false, bandwidth: null, catalog_id: 'fixed_wireless_access', providers: [] },
      { service_type: 'dsl', available: false, bandwidth: null, catalog_id: 'business_dsl', providers: [] },
    ]);
    expect(body.data.alternatives).toEqual([]);
  });

  test('an availability check with an empty list of service types returns a result for every service type', async () => {
    const { body } = await check({ location: LOCATION, service_types: [] });
    expect(body.data.services.map(({ service_type }: Json) => service_type)).toEqual(['fiber', 'cable', 'fixed_wireless', 'dsl']);
  });

  test('alternatives are the other technologies with the required bandwidth, if a requested technology is not available', async () => {
    const keyWest = { ...LOCATION, city: 'Key West', state: 'FL', zip: '33040' };
    const typesOf = (body: Json) => body.data.alternatives.map(({ service_type }: Json) => service_type);
    expect(typesOf((await check({ location: keyWest, service_types: ['fiber'] })).body)).toEqual(['cable']);
    expect(typesOf((await check({ location: keyWest, service_types: ['fiber'], bandwidth_requirements: '1gbps' })).body)).toEqual([]);
    expect(typesOf((await check({ location: LOCATION, service_types: ['dsl'], bandwidth_requirements: '1gbps' })).body)).toEqual([
      'fiber',
      'cable',
    ]);
    expect(typesOf((await check({ location: LOCATION, service_types: ['dsl'] })).body)).toEqual([]);
  });

  test('an availability check accepts the state in lower case', async () => {
    const { status, body } = await check({ location: { ...LOCATION, state: 'ny' } });
    expect([status, body.data.serviceable]).toEqual([200, true]);
  });

  test.each([
    ['without service', { state: 'AK', zip: '99723' }],
    ['with an unknown ZIP code', { state: 'ME', zip: '04730' }],
  ])('an availability check at a location %s returns serviceable false', async (_, where) => {
    const { status, body } = await check({ location: { ...LOCATION, ...where }, service_types: ['fiber'] });
    expect(status).toBe(200);
    expect(body.data).toMatchObject({ serviceable: false, services: [{ service_type: 'fiber', available: false, bandwidth: null }] });
  });

  test('an availability check accepts a nine-digit ZIP code', async () => {
    const { body } = await check({ location: { ...LOCATION, zip: '10118-0110' } });
    expect(body.data.serviceable).toBe(true);
  });

  test.each([
    [{ location: { ...LOCATION, zip: '1011' } }, 'location.zip'],
    [{ location: { ...LOCATION, state: 'NJ' } }, 'location.state'],
    [{ location: { ...LOCATION, city: undefined } }, 'location.city'],
    [{ location: 'New York' }, 'location'],
    [{ location: LOCATION, service_types: ['pigeon'] }, 'service_types.0'],
    [{ location: LOCATION, bandwidth_requirements: 'fast' }, 'bandwidth_requirements'],
    [{ location: LOCATION, bandwith: '1gbps' }, 'bandwith'],
    [{}, 'location'],
  ])('the availability check with the body %j returns 400 INVALID_PARAMETERS for the field %s', async (body, field) => {
    const { status, body: response } = await check(body);
    expect(status).toBe(400);
    expect(response.error).toMatchObject({ code: 'INVALID_PARAMETERS', details: { field } });
  });

  test('an availability check without services:read returns 403', async () => {
    const limited = await tenant.limitedTo('billing:read');
    expect((await limited.rest('POST', '/services/availability/check', { body: { location: LOCATION } })).status).toBe(403);
  });
});
