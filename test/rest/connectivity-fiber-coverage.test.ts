import { beforeAll, describe, expect, test } from 'vitest';
import { rig } from '../rig.ts';
import type { Json, Tenant } from '../tenant.ts';

let tenant: Tenant;
beforeAll(async () => {
  tenant = await (await rig()).organization({ plan: 'custom' });
});

const read = (query = '') => tenant.rest('GET', `/connectivity/fiber/coverage${query}`);
const prefixesOf = (body: Json): string[] => body.data.features.map(({ properties }: Json) => properties.zip_prefix);

type Point = [number, number];

/**
 * Returns true if a point is inside a ring: the angles under which the point sees the edges add up to a full turn. The platform contains no
 * code for this test.
 */
function isInside([x, y]: Point, ring: Point[]): boolean {
  let turn = 0;
  for (const [index, [fromX, fromY]] of ring.slice(0, -1).entries()) {
    const [toX, toY] = ring[index + 1] as Point;
    const [ax, ay, bx, by] = [fromX - x, fromY - y, toX - x, toY - y];
    turn += Math.atan2(ax * by - ay * bx, ax * bx + ay * by);
  }
  return Math.abs(turn) > Math.PI;
}

/** Places, each with its position, state and ZIP code. */
const PLACES: [string, Point, string, string][] = [
  ['the Empire State Building', [-73.9857, 40.7484], 'NY', '10118'],
  ['Times Square', [-73.9855, 40.758], 'NY', '10108'],
  ['the Barclays Center in Brooklyn', [-73.975, 40.683], 'NY', '11217'],
  ['the Willis Tower in Chicago', [-87.6359, 41.8789], 'IL', '60606'],
  ['the Space Needle in Seattle', [-122.3493, 47.6205], 'WA', '98109'],
  ['Faneuil Hall in Boston', [-71.0568, 42.36], 'MA', '02109'],
  ['Union Station in Denver', [-105.0002, 39.753], 'CO', '80202'],
  ['the Alamo in San Antonio', [-98.4861, 29.426], 'TX', '78205'],
  ['Utqiagvik', [-156.7886, 71.2906], 'AK', '99723'],
  ['Miles City', [-105.8406, 46.4083], 'MT', '59301'],
  ['Jackman in Maine', [-70.2548, 45.6237], 'ME', '04945'],
];

describe('the coverage map', () => {
  test('the coverage map is a GeoJSON FeatureCollection of closed counterclockwise polygons in longitude and latitude', async () => {
    const { status, body } = await read();
    expect(status).toBe(200);
    expect(body.data.type).toBe('FeatureCollection');
    expect(body.data.features.length).toBeGreaterThan(50);
    for (const { type, geometry, properties } of body.data.features) {
      expect([type, geometry.type, geometry.coordinates.length]).toEqual(['Feature', 'Polygon', 1]);
      const ring = geometry.coordinates[0] as Point[];
      expect(ring.length).toBeGreaterThanOrEqual(4);
      expect(ring.at(-1)).toEqual(ring[0]);
      const area = ring.slice(1).reduce((sum, [x, y], index) => sum + (ring[index]?.[0] ?? 0) * y - x * (ring[index]?.[1] ?? 0), 0);
      expect(area, properties.city).toBeGreaterThan(0);
      for (const [longitude, latitude] of ring) {
        expect(longitude).toBeGreaterThan(-180);
        expect(longitude).toBeLessThan(-60);
        expect(latitude).toBeGreaterThan(15);
        expect(latitude).toBeLessThan(75);
      }
    }
  });

  test('a feature of the coverage map states the ZIP prefix, the place, the technology and its highest bandwidth', async () => {
    const { body } = await read();
    const [first] = body.data.features.filter(({ id }: Json) => id === '100-fiber');
    expect(first.properties).toEqual({ zip_prefix: '100', city: 'New York', state: 'NY', technology: 'fiber', max_mbps: 10_000 });
  });

  test.each(PLACES)('the coverage map and the availability check agree about %s', async (_, point, state, zip) => {
    const { body } = await read('?technology=fiber,cable,fixed_wireless,dsl');
    const mapped = body.data.features.filter(({ geometry }: Json) => isInside(point, geometry.coordinates[0]));
    const location = { address: '1 Main Street', city: 'Here', state, zip };
    const checked = await tenant.rest('POST', '/services/availability/check', { body: { location } });
    expect(checked.status).toBe(200);
    const available = checked.body.data.services.filter(({ bandwidth }: Json) => bandwidth !== null);
    const pairs = mapped.map(({ properties }: Json) => [properties.technology, `${properties.max_mbps}mbps`]).sort();
    expect(pairs).toEqual(available.map(({ service_type, bandwidth }: Json) => [service_type, bandwidth]).sort());
  });

  test('the center of each fiber map polygon is in no other polygon, and the availability check returns its bandwidth', async () => {
    const { body } = await read();
    for (const { geometry, properties } of body.data.features) {
      const ring = geometry.coordinates[0] as Point[];
      const corners = ring.slice(1);
      const center = [0, 1].map((axis) => corners.reduce((sum, corner) => sum + (corner[axis] ?? 0), 0) / corners.length) as Point;
      expect(isInside(center, ring), properties.city).toBe(true);
      const containing = body.data.features.filter((other: Json) => isInside(center, other.geometry.coordinates[0]));
      expect(containing.map((other: Json) => other.properties.zip_prefix)).toEqual([properties.zip_prefix]);
      const zip = properties.zip_prefix.padEnd(5, '0');
      const checked = (await tenant.rest('GET', `/services/availability?zip=${zip}&state=${properties.state}&service_types=fiber`)).body
        .data;
      expect(checked.services[0], properties.city).toMatchObject({ available: true, bandwidth: `${properties.max_mbps}mbps` });
    }
  });

  test('the parameter bbox limits the coverage map to the areas that the box touches', async () => {
    expect(prefixesOf((await read('?bbox=-74.3,40.5,-73.7,40.95')).body)).toEqual(['073', '100', '101', '104', '111', '112']);
    expect(prefixesOf((await read('?bbox=-30,40,-20,50')).body)).toEqual([]);
    // a point box in Denver
    expect(prefixesOf((await read('?bbox=-105,39.75,-105,39.75')).body)).toEqual(['802']);
  });

  test('a bbox whose west is larger than its east selects the areas across the 180th meridian', async () => {
    expect(prefixesOf((await read('?bbox=170,15,-152,75')).body)).toEqual(['968']);
  });

  test('the coverage map of fixed_wireless contains only areas of this technology', async () => {
    const { body } = await read('?technology=fixed_wireless');
    expect(prefixesOf(body)).toContain('593');
    expect(new Set(body.data.features.map(({ properties }: Json) => properties.technology))).toEqual(new Set(['fixed_wireless']));
  });

  test('simplified outlines have fewer positions, and are still closed and counterclockwise', async () => {
    const detailed = (await read('?bbox=-105,39.75,-105,39.75')).body.data.features[0].geometry.coordinates[0];
    const simple = (await read('?bbox=-105,39.75,-105,39.75&simplify=0.1')).body.data.features[0].geometry.coordinates[0];
    expect(simple.length).toBeGreaterThanOrEqual(4);
    expect(simple.length).toBeLessThan(detailed.length);
    expect(simple.at(-1)).toEqual(simple[0]);
    for (const position of simple) expect(detailed).toContainEqual(position);
  });

  test.each([
    ['bbox=-74,40,-73', 'bbox', 'must have 4 numbers (west, south, east, north), but has 3'],
    ['bbox=-74,40,190,41', 'bbox', 'is the east of the box and must be between -180 and 180'],
    ['bbox=-74,95,-73,96', 'bbox', 'is the south of the box and must be between -90 and 90'],
    ['bbox=-74,41,-73,40', 'bbox', 'has a south that is larger than its north'],
    ['bbox=a,40,-73,41', 'bbox', ''],
    ['technology=pigeon', 'technology', ''],
    ['simplify=-1', 'simplify', 'must be between 0 and 1'],
    ['simplify=2', 'simplify', 'must be between 0 and 1'],
    ['zoom=3', 'zoom', ''],
  ])('GET /connectivity/fiber/coverage?%s returns 400 for %s', async (query, field, reason) => {
    const { status, body } = await read(`?${query}`);
    expect([status, body.error?.code]).toEqual([400, 'INVALID_PARAMETERS']);
    expect(body.error.details.field).toMatch(new RegExp(`^${field}`));
    expect(body.error.details.reason).toContain(reason);
  });

  test('a coverage map with more than 500 areas returns 400, and a smaller box of it returns 200', async () => {
    const { rows } = (await rig()).assembly.domains.identity.core.ports;
    await rows.query(
      `insert into services.coverage_area (zip_prefix, city, state, ring, west, south, east, north)
       select 'test' || n, 'Test', 'HI', '[[-170,0],[-169,0],[-169,1],[-170,0]]', -170, 0, -169, 1 from generate_series(1, 500) n`,
      [],
    );
    try {
      const { status, body } = await read();
      expect([status, body.error.details]).toMatchObject([400, { field: 'bbox', reason: expect.stringContaining('more than 500 areas') }]);
      expect((await read('?bbox=-105,39.75,-105,39.75')).status).toBe(200);
    } finally {
      await rows.query(`delete from services.coverage_area where zip_prefix like 'test%'`, []);
    }
  });

  test('a coverage map that has not changed returns 304 for its ETag', async () => {
    const { headers } = await read();
    const etag = headers.get('etag') as string;
    expect((await tenant.rest('GET', '/connectivity/fiber/coverage', { headers: { 'if-none-match': etag } })).status).toBe(304);
  });

  test('the GraphQL field coverage returns the same map', async () => {
    const { data } = await tenant.graphql(
      `{ coverage(filter: { bbox: [-105, 39.75, -105, 39.75], technology: [DSL] }) {
        type features { type geometry { type coordinates } properties { zipPrefix technology maxMbps } }
      } }`,
    );
    const rest = (await read('?bbox=-105,39.75,-105,39.75&technology=dsl')).body.data;
    expect(data.coverage.features[0].geometry).toEqual(rest.features[0].geometry);
    expect(data.coverage.features[0].properties).toEqual({ zipPrefix: '802', technology: 'DSL', maxMbps: 100 });
  });
});
