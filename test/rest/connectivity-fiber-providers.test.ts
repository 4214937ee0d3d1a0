import { beforeAll, describe, expect, test } from 'vitest';
import { rig } from '../rig.ts';
import type { Json, Tenant } from '../tenant.ts';

let tenant: Tenant;
beforeAll(async () => {
  tenant = await (await rig()).organization();
});

const list = (query = '') => tenant.rest('GET', `/connectivity/fiber/providers${query}`);
const namesOf = (body: Json): string[] => body.data.map(({ name }: Json) => name);

describe('fiber providers', () => {
  test('a fiber provider states its areas, the highest bandwidth of each technology, its service level and installation time', async () => {
    const { status, body } = await list();
    expect(status).toBe(200);
    const lakeline = body.data.find(({ id }: Json) => id === 'lakeline');
    expect(lakeline).toMatchObject({
      name: 'Lakeline Communications',
      technologies: [
        { technology: 'fiber', bandwidth: '10000mbps' },
        { technology: 'cable', bandwidth: '1000mbps' },
        { technology: 'dsl', bandwidth: '100mbps' },
      ],
      sla: { uptime_percentage: 99.95, repair_hours: 6 },
      installation_days: 21,
      initial: true,
    });
    expect(lakeline.areas).toContainEqual({
      zip_prefix: '532',
      city: 'Milwaukee',
      state: 'WI',
      technologies: [
        { technology: 'fiber', bandwidth: '2000mbps' },
        { technology: 'cable', bandwidth: '1000mbps' },
        { technology: 'dsl', bandwidth: '50mbps' },
      ],
    });
  });

  test('the list of fiber providers is sorted by name, and contains only carriers with fiber', async () => {
    const { body } = await list();
    expect(namesOf(body)).toEqual([...namesOf(body)].sort());
    expect(namesOf(body)).not.toContain('Skyline Wireless');
    for (const { technologies } of body.data) expect(technologies[0].technology).toBe('fiber');
  });

  test('the list of fiber providers can be read page by page, with page numbers and with cursors', async () => {
    const all = namesOf((await list()).body);
    const first = (await list('?per_page=3')).body;
    expect(first.pagination).toMatchObject({ page: 1, per_page: 3, total: all.length, has_more: true });
    const second = (await list('?per_page=3&page=2')).body;
    expect([...namesOf(first), ...namesOf(second)]).toEqual(all.slice(0, 6));
    const next = (await list(`?limit=3&cursor=${first.pagination.next_cursor}`)).body;
    expect(namesOf(next)).toEqual(namesOf(second));
  });

  test.each([
    ['10118', ['Atlantic Fiber', 'Meridian Metro Fiber']],
    ['10118-0110', ['Atlantic Fiber', 'Meridian Metro Fiber']],
    ['53202', ['Lakeline Communications']],
    ['59301', []],
    ['04730', []],
  ])('GET /connectivity/fiber/providers?zip=%s returns the carriers that have fiber in the area of the ZIP code', async (zip, names) => {
    const { status, body } = await list(`?zip=${zip}`);
    expect(status).toBe(200);
    expect(namesOf(body)).toEqual(names);
  });

  test.each([
    ['zip=1011', 'zip'],
    ['zip=New%20York', 'zip'],
    ['technology=cable', 'technology'],
    ['sort=price', 'sort'],
    ['per_page=0', 'per_page'],
  ])('GET /connectivity/fiber/providers?%s returns 400 INVALID_PARAMETERS for %s', async (query, field) => {
    const { status, body } = await list(`?${query}`);
    expect([status, body.error.code]).toEqual([400, 'INVALID_PARAMETERS']);
    expect(body.error.details.field).toMatch(new RegExp(`^${field}`));
  });

  test('GET /connectivity/fiber/providers and GET /services/availability return the same fiber providers for a ZIP code', async () => {
    for (const zip of ['10118', '33101', '60601', '99501', '33040']) {
      const { body } = await tenant.rest('GET', `/services/availability?zip=${zip}&service_types=fiber`);
      const [fiber] = body.data.services;
      expect(fiber.providers.map(({ name }: Json) => name)).toEqual(namesOf((await list(`?zip=${zip}`)).body));
    }
  });

  test('in every area of the initial coverage, the carriers together offer exactly the technologies of the area', async () => {
    const { rows } = (await rig()).assembly.domains.identity.core.ports;
    const difference = await rows.query(
      `(select zip_prefix, technology from services.coverage_technology except select zip_prefix, technology from services.carrier_area)
       union all (select zip_prefix, technology from services.carrier_area except select zip_prefix, technology from services.coverage_technology)`,
      [],
    );
    expect(difference).toEqual([]);
  });

  test('reading the fiber providers without services:read returns 403', async () => {
    const limited = await tenant.limitedTo('billing:read');
    expect((await limited.rest('GET', '/connectivity/fiber/providers')).status).toBe(403);
  });
});
