import { beforeAll, describe, expect, test } from 'vitest';
import { createAccount } from '../billing.setup.ts';
import { eventually, rig } from '../rig.ts';
import { serviceThatIs, tenantWithAccount } from '../services.setup.ts';
import { type Json, Tenant } from '../tenant.ts';

const HOUR_MS = 3_600_000;

let tenant: Tenant;
let accountId: string;
beforeAll(async () => {
  ({ tenant, accountId } = await tenantWithAccount());
});

const line = (by = tenant, of = accountId): Promise<Json> => serviceThatIs('operational', by, of);
const inHours = async (hours: number): Promise<string> => new Date((await rig()).clock.now().getTime() + hours * HOUR_MS).toISOString();
const window = async (serviceId: string, from: number, to: number, more: object = {}): Promise<Json> => ({
  service_id: serviceId,
  start: await inHours(from),
  end: await inHours(to),
  description: 'New switch',
  ...more,
});
const planning = async (body: Json, by = tenant) => by.rest('POST', '/monitoring/maintenance', { body });
async function plan(serviceId: string, from: number, to: number, more: object = {}, by = tenant): Promise<Json> {
  const { status, body } = await planning(await window(serviceId, from, to, more), by);
  if (status !== 201) throw new Error(JSON.stringify(body));
  return body.data;
}
const change = (id: string, body: object, by = tenant) => by.rest('PUT', `/monitoring/maintenance/${id}`, { body });
const cancel = (id: string, by = tenant) => by.rest('DELETE', `/monitoring/maintenance/${id}`);
const windowsOf = async (serviceId: string, by = tenant): Promise<Json[]> =>
  (await by.rest('GET', `/monitoring/maintenance?service_id=${serviceId}`)).body.data;
const statusOf = async (id: string): Promise<string> => (await tenant.rest('GET', `/services/${id}`)).body.data.status;
const announced = async (serviceId: string): Promise<Json[]> => {
  const query = 'query ($id: ID!) { events(filter: { subjectId: [$id], event: ["service.maintenance_scheduled"] }) { nodes { payload } } }';
  const { data } = await tenant.graphql(query, { id: serviceId });
  return data.events.nodes.map(
    ({ payload }: Json) => (typeof payload === 'string' ? JSON.parse(payload) : payload).data.maintenance_window,
  );
};

describe('a maintenance', () => {
  test('a maintenance is announced, starts and ends on time, and the service is in maintenance in between', async () => {
    const { id } = await line();
    const planned = await plan(id, 1, 3);
    expect(planned).toMatchObject({ id: expect.stringMatching(/^maint_/), service_id: id, status: 'scheduled', impact: 'down' });
    expect(await eventually(async () => (await announced(id)).length === 1 && (await announced(id))[0])).toMatchObject({ id: planned.id });
    await (await rig()).advance(HOUR_MS + 1);
    await eventually(async () => (await statusOf(id)) === 'maintenance');
    expect(await windowsOf(id)).toMatchObject([{ id: planned.id, status: 'in_progress' }]);
    await (await rig()).advance(2 * HOUR_MS);
    await eventually(async () => (await statusOf(id)) === 'operational');
    expect(await windowsOf(id)).toMatchObject([{ id: planned.id, status: 'completed' }]);
  });

  test('a maintenance shows when it was announced, and when it has really started and ended, also in its events', async () => {
    const { id } = await line();
    const planned = await plan(id, 1, 3, { title: 'Switch of the access ring' });
    const none = { actual_start: null, actual_end: null };
    expect(planned).toMatchObject({ title: 'Switch of the access ring', announced_at: planned.created_at, ...none });
    await (await rig()).advance(60_000);
    const { data: moved } = (await change(planned.id, { start: await inHours(2), title: null })).body;
    expect(moved).toMatchObject({ title: null, announced_at: moved.updated_at, ...none });
    expect(Date.parse(moved.announced_at)).toBeGreaterThanOrEqual(Date.parse(planned.announced_at) + 60_000);
    // the window starts late, as after a time in which no process was running
    await (await rig()).advance(2.5 * HOUR_MS);
    const started = await eventually(async () => {
      const [found] = await windowsOf(id);
      return found?.status === 'in_progress' && found;
    });
    expect(started).toMatchObject({ start: moved.start, end: moved.end, announced_at: moved.announced_at, actual_end: null });
    expect(Date.parse(started.actual_start)).toBeGreaterThan(Date.parse(moved.start));
    const { data: ended } = (await change(planned.id, { title: 'Done', end: await inHours(0) })).body;
    expect(ended).toMatchObject({ status: 'completed', title: 'Done', actual_start: started.actual_start, actual_end: ended.updated_at });
    expect(ended.announced_at).toBe(moved.announced_at);
    const query = 'query ($id: ID!) { events(filter: { subjectId: [$id] }, page: { limit: 20 }) { nodes { event payload } } }';
    const reported = await eventually(async () => {
      const { data } = await tenant.graphql(query, { id: planned.id });
      return data.events.nodes.length === 5 && data.events.nodes;
    });
    const windowIn = (name: string): Json => {
      const { payload } = reported.find(({ event }: Json) => event === name);
      return (typeof payload === 'string' ? JSON.parse(payload) : payload).data.maintenance_window;
    };
    expect(windowIn('maintenance.scheduled')).toMatchObject({ title: planned.title, announced_at: planned.announced_at, ...none });
    expect(windowIn('maintenance.started')).toMatchObject({ title: null, actual_start: started.actual_start, actual_end: null });
    expect(windowIn('maintenance.completed')).toMatchObject({
      title: 'Done',
      actual_start: started.actual_start,
      actual_end: ended.actual_end,
    });
  });

  test('a maintenance that was cancelled before its start has no actual times, and after its start it has both', async () => {
    const { id } = await line();
    const [before, after] = [await plan(id, 3, 4), await plan(id, 1, 2)];
    expect((await cancel(before.id)).body.data).toMatchObject({ actual_start: null, actual_end: null });
    await (await rig()).advance(1.5 * HOUR_MS);
    await eventually(async () => (await windowsOf(id)).some(({ status }) => status === 'in_progress'));
    const { data } = (await cancel(after.id)).body;
    expect(data).toMatchObject({ status: 'cancelled', actual_start: expect.any(String), actual_end: data.updated_at });
  });

  test('a title that is blank or longer than 200 characters is refused together with all other problems', async () => {
    const { id } = await line();
    const blank = await planning(await window(id, 2, 1, { title: ' ', description: '' }));
    expect([blank.status, blank.body.error.details.errors.map(({ field }: Json) => field).toSorted()]).toEqual([
      400,
      ['description', 'title'],
    ]);
    const { id: windowId } = await plan(id, 1, 2);
    const long = await change(windowId, { title: 'x'.repeat(201) });
    expect([long.status, long.body.error.details.errors.map(({ field }: Json) => field)]).toEqual([400, ['title']]);
    await cancel(windowId);
  });

  test('a service with overlapping maintenances stays in maintenance until the last of them ends', async () => {
    const { id } = await line();
    await plan(id, 1, 3);
    await plan(id, 2, 5);
    await (await rig()).advance(2.5 * HOUR_MS);
    await eventually(async () => (await windowsOf(id)).every(({ status }) => status === 'in_progress'));
    await (await rig()).advance(HOUR_MS);
    await eventually(async () => (await windowsOf(id)).some(({ status }) => status === 'completed'));
    expect(await statusOf(id)).toBe('maintenance');
    await (await rig()).advance(2 * HOUR_MS);
    await eventually(async () => (await statusOf(id)) === 'operational');
  });

  test('a maintenance without impact does not change the status of the service', async () => {
    const { id } = await line();
    const { id: windowId } = await plan(id, 1, 2, { impact: 'none' });
    await (await rig()).advance(HOUR_MS + 1);
    await eventually(async () => (await windowsOf(id))[0]?.status === 'in_progress');
    expect(await statusOf(id)).toBe('operational');
    await cancel(windowId);
  });

  test('a maintenance can be changed and is announced again, and after its start only its end and its description can change', async () => {
    const { id } = await line();
    const planned = await plan(id, 1, 3);
    const start = await inHours(2);
    const { body } = await change(planned.id, { start, description: 'New router' });
    expect(body.data).toMatchObject({ id: planned.id, start, end: planned.end, description: 'New router', status: 'scheduled' });
    expect((await change(planned.id, { description: 'New router' })).body.data).toEqual(body.data);
    const twice = await eventually(async () => {
      const found = await announced(id);
      return found.length === 2 && found;
    });
    expect(twice.map(({ description }) => description).toSorted()).toEqual(['New router', 'New switch']);
    await (await rig()).advance(1.5 * HOUR_MS);
    expect(await statusOf(id)).toBe('operational');
    await (await rig()).advance(HOUR_MS);
    await eventually(async () => (await statusOf(id)) === 'maintenance');
    const refused = await change(planned.id, { start: await inHours(1), impact: 'none' });
    expect([refused.status, refused.body.error.details.errors.map(({ field }: Json) => field)]).toEqual([400, ['start', 'impact']]);
    const later = await inHours(4);
    expect((await change(planned.id, { end: later })).body.data).toMatchObject({ end: later, status: 'in_progress' });
    await (await rig()).advance(2 * HOUR_MS);
    expect(await statusOf(id)).toBe('maintenance');
    expect((await change(planned.id, { end: await inHours(0) })).body.data).toMatchObject({ status: 'completed' });
    expect(await statusOf(id)).toBe('operational');
    const ended = await change(planned.id, { description: 'Too late' });
    expect([ended.status, ended.body.error.code]).toEqual([409, 'INVALID_STATE']);
  });

  test('a maintenance can be cancelled before and after its start, but not twice', async () => {
    const { id } = await line();
    const [before, after] = [await plan(id, 1, 3), await plan(id, 2, 4)];
    expect((await cancel(before.id)).body.data).toMatchObject({ id: before.id, status: 'cancelled' });
    await (await rig()).advance(2 * HOUR_MS + 1);
    await eventually(async () => (await statusOf(id)) === 'maintenance');
    expect((await cancel(after.id)).body.data).toMatchObject({ status: 'cancelled' });
    expect(await statusOf(id)).toBe('operational');
    const again = await cancel(after.id);
    expect([again.status, again.body.error.code]).toEqual([409, 'INVALID_STATE']);
  });

  test('the maintenance of a scaling can be changed only together with the scaling', async () => {
    const { id } = await line();
    const maintenance_window = { start: await inHours(1), duration: '1_hour' };
    await tenant.rest('PUT', `/services/${id}/scaling`, {
      body: { scaling_action: 'scale_up', new_bandwidth: '2gbps', maintenance_window },
    });
    const [found] = await windowsOf(id);
    for (const refused of [await change(found?.id, { description: 'Mine' }), await cancel(found?.id)])
      expect([refused.status, refused.body.error.code, refused.body.error.details.service_change_id]).toEqual([
        409,
        'INVALID_STATE',
        found?.service_change_id,
      ]);
  });

  test('a maintenance cannot be planned for a service that is being ended or that has twenty windows', async () => {
    const { id } = await line();
    for (let count = 0; count < 20; count += 1) await plan(id, 1 + count, 2 + count);
    const full = await planning(await window(id, 30, 31));
    expect([full.status, full.body.error.details.maximum]).toEqual([409, 20]);
    await tenant.rest('DELETE', `/services/${id}`);
    await eventually(async () => (await statusOf(id)) === 'decommissioned');
    expect((await windowsOf(id)).map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 'cancelled'));
    const ended = await planning(await window(id, 1, 2));
    expect([ended.status, ended.body.error.details.status]).toEqual([409, 'decommissioned']);
  });

  test('planning a maintenance with invalid times returns 400 with all problems', async () => {
    const { id } = await line();
    const fields = async (from: number, to: number): Promise<unknown> => {
      const { status, body } = await planning(await window(id, from, to));
      return [status, body.error?.details.errors.map(({ field }: Json) => field)];
    };
    expect(await fields(-1, 2)).toEqual([400, ['start']]);
    expect(await fields(2, 1)).toEqual([400, ['end']]);
    expect(await fields(1, 1 + 7 * 24 + 1)).toEqual([400, ['end']]);
    expect(await fields(24 * 3700, 24 * 3708)).toEqual([400, ['start', 'end']]);
    expect(await windowsOf(id)).toEqual([]);
  });
});

describe('the list of maintenance windows', () => {
  test('the list of maintenance windows has future windows first, and can be filtered by service, status, impact and period', async () => {
    const { tenant: by, accountId: of } = await tenantWithAccount();
    const [one, other] = await Promise.all([line(by, of), line(by, of)]);
    const soon = await plan(one?.id, 1, 2, {}, by);
    const later = await plan(other?.id, 48, 50, { impact: 'none' }, by);
    const gone = await plan(one?.id, 5, 6, {}, by);
    await cancel(gone.id, by);
    const ids = async (query: string): Promise<string[]> =>
      (await by.rest('GET', `/monitoring/maintenance?${query}`)).body.data.map(({ id }: Json) => id);
    expect(await ids('')).toEqual([later.id, gone.id, soon.id]);
    expect(await ids('sort=start')).toEqual([soon.id, gone.id, later.id]);
    expect(await ids(`service_id=${other?.id}`)).toEqual([later.id]);
    expect(await ids('status=scheduled')).toEqual([later.id, soon.id]);
    expect(await ids('impact=none')).toEqual([later.id]);
    expect(await ids(`from=${await inHours(1.5)}&to=${await inHours(4)}`)).toEqual([soon.id]);
    const { status, body } = await by.rest('GET', `/monitoring/maintenance?from=${await inHours(2)}&to=${await inHours(1)}`);
    expect([status, body.error.details.field]).toEqual([400, 'to']);
  });

  test("the list of maintenance windows of a limited caller contains only windows of the caller's accounts", async () => {
    const { tenant: by, accountId: own } = await tenantWithAccount();
    const [mine, foreign] = await Promise.all([own, (await createAccount(by)).id].map((of) => line(by, of)));
    const [seen, hidden] = [await plan(mine?.id, 1, 2, {}, by), await plan(foreign?.id, 1, 2, {}, by)];
    const key = { name: 'Portal', permissions: ['monitoring:read', 'monitoring:write'], accounts: [own] };
    const limited = new Tenant(by.origin, by.organizationId, (await by.rest('POST', '/auth/api-keys', { body: key })).body.api_key.key);
    expect((await limited.rest('GET', '/monitoring/maintenance')).body.data.map(({ id }: Json) => id)).toEqual([seen.id]);
    expect((await cancel(hidden.id, limited)).status).toBe(404);
    expect((await change(hidden.id, { description: 'Mine' }, limited)).status).toBe(404);
    expect((await planning(await window(foreign?.id, 1, 2), limited)).status).toBe(404);
    expect((await cancel(seen.id, limited)).status).toBe(200);
  });
});
