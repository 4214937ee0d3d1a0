import { beforeAll, describe, expect, test } from 'vitest';
import { LOCATION } from '../billing.setup.ts';
import { rig } from '../rig.ts';
import type { Json, Tenant } from '../tenant.ts';

let tenant: Tenant;
beforeAll(async () => {
  tenant = await (await rig()).organization();
});

const fiberAt = (query: string) => tenant.rest('GET', `/connectivity/fiber/availability${query}`);

describe('fiber availability', () => {
  test.each([
    ['where fiber is available', { state: 'NY', zip: '10118' }, true],
    ['with a nine-digit ZIP code', { state: 'NY', zip: '10118-0110' }, true],
    ['where only other technologies are available', { state: 'FL', zip: '33040' }, false],
    ['where no technology is available', { state: 'AK', zip: '99723' }, false],
    ['with an unknown ZIP code', { state: 'ME', zip: '04730' }, false],
  ])(
    'for a location %s, GET /connectivity/fiber/availability returns the same data for fiber as POST /services/availability/check',
    async (_, where, available) => {
      const { body: checked } = await tenant.rest('POST', '/services/availability/check', {
        body: { location: { ...LOCATION, ...where } },
      });
      const { status, body } = await fiberAt(`?zip=${where.zip}`);
      expect([status, body.data.available]).toEqual([200, available]);
      expect(body.data).toEqual(checked.data.services.find(({ service_type }: Json) => service_type === 'fiber'));
      const withState = await fiberAt(`?zip=${where.zip}&state=${where.state.toLowerCase()}`);
      expect(withState.body.data).toEqual(body.data);
    },
  );

  test.each([
    ['', ['zip']],
    ['?zip=1011', ['zip']],
    ['?zip=10118&state=NJ', ['state']],
    ['?state=New+York', ['state', 'zip']],
    ['?zip=1011&state=New+York&town=Albany', ['state', 'town', 'zip']],
  ])(
    'checking fiber availability with the query "%s" returns 400 INVALID_PARAMETERS for every invalid parameter: %j',
    async (query, fields) => {
      const { status, body } = await fiberAt(query);
      expect([status, body.error.code]).toEqual([400, 'INVALID_PARAMETERS']);
      expect(body.error.details.errors.map(({ field }: Json) => field).sort()).toEqual(fields);
    },
  );

  test('checking fiber availability without services:read returns 403', async () => {
    const limited = await tenant.limitedTo('billing:read');
    expect((await limited.rest('GET', '/connectivity/fiber/availability?zip=10118')).status).toBe(403);
  });

  test('GraphQL returns the same fiber availability as REST', async () => {
    const { data } = await tenant.graphql('{ fiberAvailability(location: { zip: "10118" }) { serviceType available bandwidth } }');
    expect(data.fiberAvailability).toEqual({ serviceType: 'FIBER', available: true, bandwidth: '10000mbps' });
  });
});
