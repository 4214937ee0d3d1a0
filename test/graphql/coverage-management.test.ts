import { beforeAll, describe, expect, test } from 'vitest';
import { LOCATION } from '../billing.setup.ts';
import { operator } from '../operator.setup.ts';
import { rig } from '../rig.ts';
import type { Json, Tenant } from '../tenant.ts';

let tenant: Tenant;
let owner: Tenant;
beforeAll(async () => {
  tenant = await (await rig()).organization({ plan: 'custom' });
  owner = await operator();
});

const AREA = '{ zipPrefix city state outline revision technologies { technology bandwidth } }';
const CREATE = `mutation ($input: CoverageAreaCreateInput!) { result: createCoverageArea(input: $input) ${AREA} }`;
const UPDATE = `mutation ($zipPrefix: String!, $input: CoverageAreaUpdateInput!, $revision: Int) {
  result: updateCoverageArea(zipPrefix: $zipPrefix, input: $input, expectedRevision: $revision) ${AREA} }`;
const DELETE = `mutation ($zipPrefix: String!) { result: deleteCoverageArea(zipPrefix: $zipPrefix) ${AREA} }`;
const CARRIER =
  '{ id name initial revision installationDays sla { uptimePercentage repairHours } areas { zipPrefix technologies { technology bandwidth } } }';
const CREATE_CARRIER = `mutation ($input: CarrierCreateInput!) { result: createCarrier(input: $input) ${CARRIER} }`;
const UPDATE_CARRIER = `mutation ($id: ID!, $input: CarrierUpdateInput!, $revision: Int) {
  result: updateCarrier(id: $id, input: $input, expectedRevision: $revision) ${CARRIER} }`;
const DELETE_CARRIER = `mutation ($id: ID!) { result: deleteCarrier(id: $id) ${CARRIER} }`;

const run = async (query: string, variables: Json): Promise<Json> => {
  const { data, errors } = await owner.graphql(query, variables);
  if (errors) throw new Error(JSON.stringify(errors));
  return data.result;
};
const refused = async (query: string, variables: Json, by = owner): Promise<Json> =>
  (await by.graphql(query, variables)).errors?.[0]?.extensions;
const availableAt = async (zip: string): Promise<Json> => (await tenant.rest('GET', `/services/availability?zip=${zip}`)).body.data;

/** Jackman in Maine, which the initial coverage does not have. The outline is clockwise. */
const JACKMAN = {
  zipPrefix: '04945',
  city: 'Jackman',
  state: 'me',
  outline: [
    [-70.3, 45.6],
    [-70.3, 45.7],
    [-70.2, 45.7],
    [-70.2, 45.6],
    [-70.3, 45.6],
  ],
  technologies: [
    { technology: 'FIBER', bandwidth: '1gbps' },
    { technology: 'DSL', bandwidth: '25mbps' },
  ],
};
const carrierFor = (technologies: string[], more: Json = {}): Json => ({
  id: 'moose_river',
  name: 'Moose River Telephone',
  description: 'A carrier of a test.',
  areas: [{ zipPrefix: '04945', technologies }],
  ...more,
});

/** Creates the coverage area of Jackman, runs `act`, and deletes the area and the carrier that `act` may have created. */
async function withJackman(act: () => Promise<void>): Promise<void> {
  await run(CREATE, { input: JACKMAN });
  try {
    await act();
  } finally {
    await owner.graphql(DELETE_CARRIER, { id: 'moose_river' });
    await run(DELETE, { zipPrefix: JACKMAN.zipPrefix });
  }
}

describe('managing coverage', () => {
  test('a new coverage area is used in availability checks and shown on the map, with a counterclockwise outline', () =>
    withJackman(async () => {
      expect(await availableAt('04945')).toMatchObject({
        serviceable: true,
        services: [{ service_type: 'fiber', bandwidth: '1000mbps' }, {}, {}, {}],
      });
      const { body } = await tenant.rest('GET', '/connectivity/fiber/coverage?bbox=-70.25,45.65,-70.25,45.65');
      expect(body.data.features).toMatchObject([
        { geometry: { coordinates: [JACKMAN.outline.toReversed()] }, properties: { zip_prefix: '04945', state: 'ME', max_mbps: 1000 } },
      ]);
      const areas = (await owner.graphql('{ coverageAreas(page: { limit: 2 }) { nodes { zipPrefix } pageInfo { total nextCursor } } }'))
        .data.coverageAreas;
      expect(areas.nodes).toEqual([{ zipPrefix: '021' }, { zipPrefix: '029' }]);
      expect(areas.pageInfo).toMatchObject({ total: 63, nextCursor: expect.any(String) });
    }));

  test('an update of a coverage area changes bandwidths, adds and removes technologies, and can remove the area from the map', () =>
    withJackman(async () => {
      const input = {
        outline: null,
        technologies: [
          { technology: 'FIBER', bandwidth: '2gbps' },
          { technology: 'CABLE', bandwidth: '300mbps' },
        ],
      };
      expect(await run(UPDATE, { zipPrefix: '04945', input })).toEqual({
        ...{ zipPrefix: '04945', city: 'Jackman', state: 'ME', outline: null, revision: 2 },
        technologies: [
          { technology: 'FIBER', bandwidth: '2000mbps' },
          { technology: 'CABLE', bandwidth: '300mbps' },
        ],
      });
      const bandwidths = (await availableAt('04945')).services.map(({ bandwidth }: Json) => bandwidth);
      expect(bandwidths).toEqual(['2000mbps', '300mbps', null, null]);
      expect((await tenant.rest('GET', '/connectivity/fiber/coverage?bbox=-70.25,45.65,-70.25,45.65')).body.data.features).toEqual([]);
    }));

  test('the coverage area with the longest matching ZIP prefix applies, and after its deletion the area with the next shorter prefix', async () => {
    await run(CREATE, {
      input: { zipPrefix: '10118', city: 'New York', state: 'NY', technologies: [{ technology: 'DSL', bandwidth: '10mbps' }] },
    });
    try {
      const location = { ...LOCATION, zip: '10118-0110' };
      const { body } = await tenant.rest('POST', '/services/availability/check', { body: { location, service_types: ['fiber', 'dsl'] } });
      expect(body.data.services).toMatchObject([{ available: false }, { available: true, bandwidth: '10mbps' }]);
    } finally {
      await run(DELETE, { zipPrefix: '10118' });
    }
    expect((await availableAt('10118')).services[0]).toMatchObject({ service_type: 'fiber', bandwidth: '10000mbps' });
  });

  test('an invalid coverage area is refused with all problems', async () => {
    const input = {
      zipPrefix: 'X1',
      city: ' ',
      state: 'Maine',
      outline: [
        [-70, 45],
        [-200, 45],
        [-70, 46],
      ],
      technologies: [
        { technology: 'FIBER', bandwidth: 'fast' },
        { technology: 'FIBER', bandwidth: '1gbps' },
      ],
    };
    const { code, details } = await refused(CREATE, { input });
    expect(code).toBe('INVALID_PARAMETERS');
    const fields = details.errors.map(({ field }: Json) => field);
    for (const field of ['zipPrefix', 'city', 'state', 'outline', 'outline.1', 'technologies.0.bandwidth', 'technologies.1.technology'])
      expect(fields).toContain(field);
  });

  test('creating a duplicate coverage area returns 409, and an operation on an unknown coverage area returns 404', async () => {
    expect(await refused(CREATE, { input: { ...JACKMAN, zipPrefix: '100' } })).toMatchObject({ code: 'DUPLICATE_RESOURCE' });
    expect(await refused(UPDATE, { zipPrefix: '999', input: {} })).toMatchObject({
      code: 'RESOURCE_NOT_FOUND',
      details: { resource: 'coverage_area', id: '999' },
    });
    expect(await refused(DELETE, { zipPrefix: '999' })).toMatchObject({ code: 'RESOURCE_NOT_FOUND' });
  });

  test('if two operators change a coverage area with the same revision, one of them gets STALE_RESOURCE', () =>
    withJackman(async () => {
      const both = await Promise.all(
        ['North', 'South'].map((city) => owner.graphql(UPDATE, { zipPrefix: '04945', input: { city }, revision: 1 })),
      );
      expect(both.map(({ errors }) => errors?.[0]?.extensions.code ?? 'ok').sort()).toEqual(['STALE_RESOURCE', 'ok']);
    }));

  test('other organizations than the operator cannot manage coverage', async () => {
    expect(await refused(CREATE, { input: JACKMAN }, tenant)).toMatchObject({ code: 'INSUFFICIENT_PERMISSIONS' });
    expect(await refused(DELETE_CARRIER, { id: 'lakeline' }, tenant)).toMatchObject({ code: 'INSUFFICIENT_PERMISSIONS' });
  });
});

describe('managing carriers', () => {
  test('a new carrier is listed as a provider in its coverage areas, with the bandwidths of these areas', () =>
    withJackman(async () => {
      const carrier = await run(CREATE_CARRIER, { input: carrierFor(['FIBER', 'DSL'], { uptimePercentage: 99.95, repairHours: 12 }) });
      expect(carrier).toMatchObject({
        ...{ initial: false, revision: 1, installationDays: 30, sla: { uptimePercentage: 99.95, repairHours: 12 } },
        areas: [
          {
            zipPrefix: '04945',
            technologies: [
              { technology: 'FIBER', bandwidth: '1000mbps' },
              { technology: 'DSL', bandwidth: '25mbps' },
            ],
          },
        ],
      });
      const { body } = await tenant.rest('GET', '/connectivity/fiber/providers?zip=04945');
      expect(body.data.map(({ id }: Json) => id)).toEqual(['moose_river']);
      expect((await availableAt('04945')).services[0].providers).toEqual([
        { carrier_id: 'moose_river', name: 'Moose River Telephone', installation_days: 30 },
      ]);
    }));

  test('a technology that a carrier uses cannot be removed from coverage until an update of the carrier replaces its areas', () =>
    withJackman(async () => {
      await run(CREATE_CARRIER, { input: carrierFor(['FIBER', 'DSL']) });
      const conflict = { code: 'SERVICE_CONFLICT', details: { carriers: ['moose_river'], technologies: ['dsl'] } };
      const technologies = [{ technology: 'FIBER', bandwidth: '500mbps' }];
      expect(await refused(UPDATE, { zipPrefix: '04945', input: { technologies } })).toMatchObject(conflict);
      expect(await refused(DELETE, { zipPrefix: '04945' })).toMatchObject({ code: 'SERVICE_CONFLICT' });
      const areas = [{ zipPrefix: '04945', technologies: ['FIBER'] }];
      expect(await run(UPDATE_CARRIER, { id: 'moose_river', input: { areas } })).toMatchObject({ revision: 2 });
      await run(UPDATE, { zipPrefix: '04945', input: { technologies } });
      const { body } = await tenant.rest('GET', '/connectivity/fiber/providers?zip=04945');
      expect(body.data[0].technologies).toEqual([{ technology: 'fiber', bandwidth: '500mbps' }]);
    }));

  test('if a request removes a technology from coverage while another request adds it to a carrier, exactly one of them succeeds', () =>
    withJackman(async () => {
      const technologies = [{ technology: 'FIBER', bandwidth: '1gbps' }];
      const both = await Promise.all([
        owner.graphql(UPDATE, { zipPrefix: '04945', input: { technologies } }),
        owner.graphql(CREATE_CARRIER, { input: carrierFor(['DSL']) }),
      ]);
      expect(['SERVICE_CONFLICT', 'INVALID_PARAMETERS']).toContain(both.flatMap(({ errors }) => errors ?? [])[0]?.extensions.code);
      expect(both.filter(({ errors }) => errors)).toHaveLength(1);
    }));

  test('a carrier with a ZIP prefix or a technology that does not exist in the coverage is refused', () =>
    withJackman(async () => {
      const areas = [
        { zipPrefix: '04945', technologies: ['FIBER', 'CABLE'] },
        { zipPrefix: '99999', technologies: ['FIBER'] },
      ];
      const { code, details } = await refused(CREATE_CARRIER, { input: carrierFor([], { areas }) });
      expect(code).toBe('INVALID_PARAMETERS');
      expect(details.errors.map(({ field }: Json) => field)).toEqual(['areas.0.technologies.1', 'areas.1.zipPrefix']);
    }));

  test('a duplicate id or name of a carrier is refused with 409, an unknown id with 404, and an old revision with STALE_RESOURCE', async () => {
    expect(await refused(CREATE_CARRIER, { input: carrierFor([], { id: 'lakeline', areas: [] }) })).toMatchObject({
      code: 'DUPLICATE_RESOURCE',
    });
    expect(await refused(CREATE_CARRIER, { input: carrierFor([], { name: 'Lakeline Communications', areas: [] }) })).toMatchObject({
      code: 'DUPLICATE_RESOURCE',
      details: { resource: 'carrier', id: 'lakeline' },
    });
    expect(await refused(DELETE_CARRIER, { id: 'none_such' })).toMatchObject({
      code: 'RESOURCE_NOT_FOUND',
      details: { resource: 'carrier' },
    });
    expect(await refused(UPDATE_CARRIER, { id: 'lakeline', input: {}, revision: 77 })).toMatchObject({ code: 'STALE_RESOURCE' });
  });
});
