import { beforeAll, describe, expect, test } from 'vitest';
import { eventually, rig } from '../rig.ts';
import { serviceThatIs, tenantWithAccount } from '../services.setup.ts';
import type { Json, RestResponse, Tenant } from '../tenant.ts';

const HOUR_MS = 3_600_000;

let tenant: Tenant;
let accountId: string;
beforeAll(async () => {
  ({ tenant, accountId } = await tenantWithAccount());
});

const line = (more: object = {}): Promise<Json> => serviceThatIs('operational', tenant, accountId, { bandwidth: '500mbps', ...more });
const inHours = async (hours: number): Promise<string> => new Date((await rig()).clock.now().getTime() + hours * HOUR_MS).toISOString();
const read = async (id: string): Promise<Json> => (await tenant.rest('GET', `/services/${id}`)).body.data;
const until = (id: string, expected: object): Promise<Json> =>
  eventually(async () => {
    const service = await read(id);
    return Object.entries(expected).every(([name, value]) => service[name] === value) && service;
  });
const pass = async (hours: number): Promise<void> => (await rig()).advance(hours * HOUR_MS);
/** Schedules a scaling to 1 Gbit/s in three hours. Its maintenance window starts in two hours and lasts two hours. */
const scale = async (id: string, more: object = {}): Promise<RestResponse> =>
  tenant.rest('PUT', `/services/${id}/scaling`, {
    body: {
      scaling_action: 'scale_up',
      new_bandwidth: '1gbps',
      effective_date: await inHours(3),
      maintenance_window: { start: await inHours(2), duration: '2_hours' },
      ...more,
    },
  });
const windowsOf = async (id: string): Promise<Json[]> =>
  (await tenant.graphql('query ($id: ID!) { service(id: $id) { maintenanceWindows { status } } }', { id })).data.service.maintenanceWindows;

describe('a scaling with a maintenance window', () => {
  test('a scaled service is in maintenance during the maintenance window, and its bandwidth changes at the effective date', async () => {
    const { id } = await line();
    const { status, body } = await scale(id);
    expect([status, body.data]).toMatchObject([
      200,
      { status: 'acknowledged', maintenance_window: { status: 'scheduled', impact: 'down', description: 'Change of bandwidth' } },
    ]);
    expect(await read(id)).toMatchObject({ status: 'operational', bandwidth: '500mbps' });
    await pass(2);
    expect(await until(id, { status: 'maintenance' })).toMatchObject({ bandwidth: '500mbps' });
    await pass(1);
    expect(await until(id, { bandwidth: '1000mbps' })).toMatchObject({ status: 'maintenance', monthly_price: 403.65 });
    await pass(1);
    await until(id, { status: 'operational' });
    expect(await windowsOf(id)).toEqual([{ status: 'COMPLETED' }]);
  });

  test('scheduling a scaling with a maintenance window immediately sends one event service.maintenance_scheduled', async () => {
    const { id } = await line();
    const { body } = await scale(id);
    const { id: windowId, start, end } = body.data.maintenance_window;
    const events = await eventually(async () => {
      const query = `query ($id: ID!) { events(filter: { subjectId: [$id], event: ["service.maintenance_scheduled"] }) { nodes { payload } } }`;
      const { nodes } = (await tenant.graphql(query, { id })).data.events;
      return nodes.length > 0 && nodes.map(({ payload }: Json) => (typeof payload === 'string' ? JSON.parse(payload) : payload).data);
    });
    expect(events).toMatchObject([{ service: { id }, maintenance_window: { id: windowId, start, end, impact: 'down' } }]);
  });

  test('updating or decommissioning a service during its maintenance returns 409 with the maintenance window and Retry-After', async () => {
    const { id } = await line();
    const { body } = await scale(id);
    await pass(2);
    await until(id, { status: 'maintenance' });
    const responses = [
      await tenant.rest('PUT', `/services/${id}`, { body: { name: 'Other' } }),
      await tenant.rest('DELETE', `/services/${id}`),
      await tenant.rest('POST', `/services/${id}/decommission`, { body: {} }),
    ];
    for (const { status, headers, body: answer } of responses) {
      expect([status, answer.error]).toMatchObject([
        409,
        { code: 'SERVICE_MAINTENANCE', details: { maintenance_window: { id: body.data.maintenance_window.id } } },
      ]);
      const seconds = Number(headers.get('retry-after'));
      expect(seconds).toBeGreaterThan(7000);
      expect(seconds).toBeLessThanOrEqual(7200);
    }
    await pass(2);
    await until(id, { status: 'operational' });
  });

  test('cancelling a scaling before its effective date cancels its maintenance window, even if the window has started', async () => {
    for (const hours of [1, 2.5]) {
      const { id } = await line();
      const { body } = await scale(id);
      await pass(hours);
      await until(id, { status: hours > 2 ? 'maintenance' : 'operational' });
      expect((await tenant.rest('DELETE', `/services/${id}/changes/${body.data.id}`)).status).toBe(200);
      expect(await read(id)).toMatchObject({ status: 'operational', pending_changes: [] });
      expect(await windowsOf(id)).toEqual([{ status: 'CANCELLED' }]);
      await pass(4);
      expect(await read(id)).toMatchObject({ status: 'operational', bandwidth: '500mbps' });
    }
  });

  test('decommissioning a service before the maintenance window of a scaling cancels the scaling and the window', async () => {
    const { id } = await line();
    await scale(id);
    await tenant.rest('DELETE', `/services/${id}`);
    await until(id, { status: 'decommissioned' });
    await pass(5);
    expect(await read(id)).toMatchObject({ status: 'decommissioned' });
    expect(await windowsOf(id)).toEqual([{ status: 'CANCELLED' }]);
  });

  test('if no process ran during its maintenance window, a scaling is made later without setting the status maintenance', async () => {
    const { id } = await line();
    await scale(id);
    await pass(48);
    expect(await until(id, { bandwidth: '1000mbps' })).toMatchObject({ status: 'operational' });
    expect(await windowsOf(id)).toEqual([{ status: 'COMPLETED' }]);
    const { data } = await tenant.graphql('query ($id: ID!) { service(id: $id) { statusHistory { to } } }', { id });
    expect(data.service.statusHistory.map(({ to }: Json) => to)).not.toContain('MAINTENANCE');
  });

  test('a scaling without an effective date is made at the start of its maintenance window', async () => {
    const { id } = await line();
    const { body } = await scale(id, { effective_date: undefined });
    expect(body.data.effective_at).toBe(body.data.maintenance_window.start);
    await pass(2);
    expect(await until(id, { bandwidth: '1000mbps' })).toMatchObject({ status: 'maintenance' });
    await pass(2);
    await until(id, { status: 'operational' });
  });

  test.each([
    ['an effective date after the window', async () => ({ effective_date: await inHours(5) }), 'effective_date'],
    ['an effective date before the window', async () => ({ effective_date: await inHours(1) }), 'effective_date'],
    [
      'a start in the past',
      async () => ({ effective_date: undefined, maintenance_window: { start: await inHours(-1), duration: '2_hours' } }),
      'maintenance_window.start',
    ],
    [
      'a duration that is too long',
      async () => ({ maintenance_window: { start: await inHours(2), duration: '8_days' } }),
      'maintenance_window.duration',
    ],
    ['no length', async () => ({ maintenance_window: { start: await inHours(2), duration: '0_hours' } }), 'maintenance_window.duration'],
    [
      'an unknown unit',
      async () => ({ maintenance_window: { start: await inHours(2), duration: '2_moons' } }),
      'maintenance_window.duration',
    ],
  ])('scheduling a scaling with %s returns 400 with the field, and creates no maintenance window', async (_, bodyOf, field) => {
    const { id } = await line();
    const { status, body } = await scale(id, await bodyOf());
    expect([status, body.error.details.errors.map((problem: Json) => problem.field)]).toEqual([400, [field]]);
    expect(await windowsOf(id)).toEqual([]);
  });
});
