import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { TestClock } from '../../kernel/clock.ts';
import { eventually, type Rig, start } from '../rig.ts';
import { DatabaseProxy } from '../support/database-proxy.ts';
import { ownDatabase } from '../support/own-database.ts';
import type { Json, Tenant } from '../tenant.ts';

const CHECK_MS = 15_000;
const MINUTE_MS = 60_000;

interface World {
  platform: Rig;
  tenant: Tenant;
}

/** A platform with its own clock, because other tests must not move the time of the checks. */
async function world(settings: Record<string, string | undefined> = {}): Promise<World> {
  const platform = await start(settings, new TestClock());
  return { platform, tenant: await platform.organization() };
}

const componentsOf = async (by: Tenant): Promise<Json[]> => (await by.rest('GET', '/monitoring/status')).body.data.components;
const componentOf = async (by: Tenant, wanted: string): Promise<Json> =>
  (await componentsOf(by)).find(({ name }) => name === wanted) as Json;

/** Lets the time of an interval pass, and waits until all components have been checked after it. */
async function check({ platform, tenant }: World, ms = CHECK_MS): Promise<Json[]> {
  const from = platform.clock.now().getTime() + ms;
  // the job queue of a database that does not respond keeps its time
  await platform.advance(ms).catch(() => undefined);
  return eventually(async () => {
    const components = await componentsOf(tenant);
    return components.every(({ checked_at }) => checked_at && Date.parse(checked_at) >= from) && components;
  });
}

const checked = async (on: World, wanted: string, ms?: number): Promise<Json> =>
  (await check(on, ms)).find(({ name }) => name === wanted) as Json;

/** Makes the database refuse updates of a table under a condition, until the returned function is called. */
async function refuseUpdates(
  { platform }: World,
  schema: 'events' | 'monitoring' | 'pgboss',
  table: string,
  when = 'true',
): Promise<() => Promise<void>> {
  const { rows } = platform.assembly.stores.monitoring;
  const run = (text: string) => rows.query(text, []);
  await run(`create or replace function "${schema}"."refuse_${table}"() returns trigger language plpgsql as $$
    begin raise exception 'refused for a test'; end $$`);
  await run(
    `create trigger "refuse" before update on "${schema}"."${table}" for each row when (${when}) execute function "${schema}"."refuse_${table}"()`,
  );
  return async () => void (await run(`drop trigger "refuse" on "${schema}"."${table}"`));
}

describe('components of the platform', () => {
  let on: World;
  beforeAll(async () => {
    on = await world();
    await check(on);
  });
  afterAll(() => on.platform.close());

  test('the status of the platform shows each component with its status, since when, and what was measured', async () => {
    const components = await check(on);
    expect(components.map(({ name }) => name)).toEqual(['api', 'graph', 'webhooks', 'jobs', 'database']);
    for (const component of components) {
      expect(component).toEqual({
        name: expect.any(String),
        status: 'operational',
        since: expect.any(String),
        checked_at: expect.any(String),
        measurement: expect.stringMatching(/^(Response )?[Tt]ime /),
        seconds: expect.any(Number),
      });
      expect(Date.parse(component.since)).toBeLessThan(Date.parse(component.checked_at));
    }
    const measured = Object.fromEntries(components.map(({ name, seconds }) => [name, seconds]));
    for (const name of ['api', 'graph', 'database']) expect(measured[name], name).toBeGreaterThan(0);
  });

  test('all organizations see the same components, and the overall status does not depend on them', async () => {
    const other = await on.platform.organization();
    await check(on);
    expect(await componentsOf(other)).toEqual(await componentsOf(on.tenant));
    const { data } = await other.graphql('{ monitoringStatus { status components { name status } } }');
    expect(data.monitoringStatus.components).toContainEqual({ name: 'DATABASE', status: 'OPERATIONAL' });
  });

  test('a job that waits for a minute degrades the component jobs after two checks, and the component works again after it has run', async () => {
    const { platform, tenant } = on;
    const repair = await refuseUpdates(on, 'pgboss', 'job', `new.state = 'active'`);
    const report = { report_type: 'incidents', date_range: { start: '2026-01-01', end: '2026-01-31' } };
    const { status, body } = await tenant.rest('POST', '/analytics/reports', { body: report });
    expect([status, JSON.stringify(body)]).toEqual([201, expect.any(String)]);
    expect(await checked(on, 'jobs', 50_000)).toMatchObject({ status: 'operational' });
    expect(await checked(on, 'jobs')).toMatchObject({ status: 'operational' });
    const degraded = await checked(on, 'jobs');
    expect(degraded).toMatchObject({ status: 'degraded' });
    expect(degraded.seconds).toBeGreaterThanOrEqual(75);
    expect(Date.parse(degraded.checked_at) - Date.parse(degraded.since)).toBeGreaterThanOrEqual(CHECK_MS);
    expect((await tenant.rest('GET', '/monitoring/status')).body.data.status).toBe('operational');
    expect(await componentOf(tenant, 'database')).toMatchObject({ status: 'operational' });

    await repair();
    const path = `/analytics/reports/${body.data.id}`;
    await eventually(async () => (await tenant.rest('GET', path)).body.data.status === 'ready');
    expect(await checked(on, 'jobs')).toMatchObject({ status: 'degraded', seconds: 0 });
    expect(await checked(on, 'jobs')).toMatchObject({ status: 'operational', seconds: 0 });
    expect(platform.logged.filter((line) => line.includes('a component of the platform works again'))).toHaveLength(1);
  });

  test('a delivery that no process begins for ten minutes takes the component webhooks down, and a receiver that does not respond does not', async () => {
    const { tenant } = on;
    // nothing listens on this port
    const webhook = { url: 'http://127.0.0.1:9/hooks', events: ['ticket.created'] };
    const { id } = (await tenant.rest('POST', '/webhooks', { body: webhook })).body.data;
    const repair = await refuseUpdates(on, 'events', 'webhook', 'new.lane_until is not null');
    expect((await tenant.rest('POST', '/support/tickets', { body: { title: 'No light', description: 'Since noon' } })).status).toBe(201);
    await eventually(async () => (await tenant.rest('GET', `/webhooks/${id}/deliveries`)).body.data.length === 1);
    expect(await checked(on, 'webhooks', 50_000)).toMatchObject({ status: 'operational' });
    await check(on);
    expect(await checked(on, 'webhooks')).toMatchObject({ status: 'degraded' });
    for (const _ of Array(11)) await check(on, 50_000);
    expect(await checked(on, 'webhooks')).toMatchObject({ status: 'down' });
    await repair();
    await eventually(async () => (await check(on)) && (await componentOf(tenant, 'webhooks')).status === 'operational');
    expect((await checked(on, 'webhooks')).seconds).toBeLessThan(MINUTE_MS / 1000);
  });

  test('the status is unknown since the last check if components were not checked for a minute', async () => {
    const { platform, tenant } = on;
    const before = await check(on);
    const repair = await refuseUpdates(on, 'monitoring', 'component');
    await platform.advance(MINUTE_MS - 5_000);
    expect((await componentsOf(tenant)).map(({ status }) => status)).toEqual(before.map(({ status }) => status));
    await platform.advance(6_000);
    const unknown = await componentsOf(tenant);
    expect(unknown).toMatchObject(before.map(({ name, checked_at }) => ({ name, status: 'unknown', since: checked_at, seconds: null })));
    await repair();
    for (const { status, since } of await check(on)) {
      expect(status).toBe('operational');
      expect(Date.parse(since)).toBeGreaterThan(Date.parse(before[0]?.checked_at));
    }
  });
});

describe.runIf(process.env.TEST_DATABASE_URL)('a domain with its own database', () => {
  test('a database that does not respond degrades all components that use it until it responds again', async () => {
    const proxy = await DatabaseProxy.start((await ownDatabase()) ?? '');
    const on = await world({ SUPPORT_DATABASE_URL: proxy.url });
    onTestFinished(() => on.platform.close());
    expect(await checked(on, 'database')).toMatchObject({ status: 'operational' });
    proxy.disconnect();
    await check(on);
    const components = await check(on);
    expect(components).toMatchObject([
      { name: 'api', status: 'operational' },
      { name: 'graph', status: 'degraded' },
      { name: 'webhooks', status: 'degraded' },
      { name: 'jobs', status: 'degraded' },
      { name: 'database', status: 'degraded' },
    ]);
    proxy.reconnect();
    await eventually(async () => (await check(on)).every(({ status }) => status === 'operational'));
  });

  test('the status of a component and since when it has it survive a restart', async () => {
    const databaseUrl = await ownDatabase();
    const first = await world({ DATABASE_URL: databaseUrl });
    const [before] = await check(first);
    await first.platform.close();
    const second = await start({ DATABASE_URL: databaseUrl }, new TestClock());
    onTestFinished(() => second.close());
    const tenant = await second.organization();
    const [after] = await check({ platform: second, tenant });
    expect(after?.since).toBe(before?.since);
  });
});
