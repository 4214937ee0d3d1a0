import { beforeAll, expect, test } from 'vitest';
import { eventually, type Rig, rig } from '../rig.ts';
import { rows } from '../support/tables.ts';
import type { Json, Tenant } from '../tenant.ts';

const onServer = Boolean(process.env.TEST_DATABASE_URL);
const DAY_MS = 86_400_000;

let platform: Rig;
beforeAll(async () => {
  platform = await rig();
});

const search = async (tenant: Tenant, body: object): Promise<Json[]> =>
  (await tenant.rest('POST', '/monitoring/logs/search', { body })).body.data;
const refuse = (tenant: Tenant) => tenant.rest('POST', '/support/tickets', { body: {} });

test('a failed job is in the log of its organization, without the internal reason', async () => {
  const tenant = await platform.organization();
  await tenant.rest('POST', '/support/tickets', { body: { title: 'Down', description: 'No light' } });
  const { report } = (await tenant.rest('POST', '/support/reports/generate', { body: { report_type: 'usage' } })).body;
  await eventually(async () => (await tenant.rest('GET', `/support/reports/${report.id}`)).body.report.status === 'ready');
  // simulates a report of an earlier release, with a time zone that PostgreSQL does not support
  await (await rows()).query(
    `update support.report set status = 'generating', attempts = 1, parameters = jsonb_set(parameters, '{timezone}', '"Mars/Olympus"') where id = $1`,
    [report.id],
  );
  const store = await platform.assembly.databases.storeOf({ schema: 'test_probe', entities: [], migrations: [] });
  const job = { organizationId: tenant.organizationId, reportId: report.id };
  await store.orm.em.fork().transactional((tx) => store.jobs.enqueue(tx, 'support.report', job));
  const [entry] = await eventually(async () => {
    const found = await search(tenant, { query: 'source:job queue:support.report' });
    return found.length > 0 && found;
  });
  expect(entry).toMatchObject({ level: 'warn', message: expect.stringMatching(/^A job of the queue support\.report failed/) });
  expect(JSON.stringify(entry)).not.toMatch(/Mars|select|zone/);
});

test.runIf(onServer)('requests are not delayed while log entries cannot be stored, and the entries are stored later', async () => {
  const tenant = await platform.organization();
  const store = await platform.assembly.databases.storeOf({ schema: 'test_probe', entities: [], migrations: [] });
  await refuse(tenant);
  await eventually(async () => (await search(tenant, { query: 'source:request' })).length === 1);
  await store.orm.em.fork().transactional(async (tx) => {
    await tx.execute('lock table monitoring.log_entry in access exclusive mode');
    await refuse(tenant);
    // the writer waits for the table now
    void platform.assembly.domains.monitoring.logs.flush();
    for (let index = 0; index < 20; index += 1) {
      const began = performance.now();
      expect((await refuse(tenant)).status).toBe(400);
      expect(performance.now() - began).toBeLessThan(2_000);
    }
  });
  await eventually(async () => (await search(tenant, { query: 'source:request' })).length === 22);
});

test('a log line that cannot be stored does not prevent the storage of other lines', async () => {
  const tenant = await platform.organization();
  const { organizationLog } = platform.assembly;
  const line = { organizationId: tenant.organizationId, level: 'info', source: 'job' } as const;
  const circular: Record<string, unknown> = {};
  circular.self = circular;
  organizationLog.write({ ...line, message: 'before' });
  organizationLog.write({ ...line, message: 'circular', attributes: circular });
  organizationLog.write({ ...line, message: 'too early for PostgreSQL', at: new Date(-8.64e15) });
  organizationLog.write({ ...line, message: 'no service', serviceId: 'svc_\u0000' });
  organizationLog.write({ ...line, message: 'after' });
  expect((await tenant.rest('PUT', `/services/${'%00'.repeat(20)}${'x'.repeat(2_000)}`, { body: {} })).status).toBeGreaterThanOrEqual(400);
  await eventually(async () => (await search(tenant, { query: 'source:request' })).length === 1);
  const found = await search(tenant, { query: 'source:job' });
  expect(found.map(({ message }) => message).toSorted()).toEqual(['after', 'before', 'no service']);
});

test('log lines beyond the limit of waiting lines are dropped, and the process keeps no more lines in memory', async () => {
  const { organizationLog } = platform.assembly;
  const tenants = await Promise.all(Array.from({ length: 10 }, () => platform.organization()));
  const message = 'x'.repeat(8_000);
  for (let index = 0; index < 1_500; index += 1)
    organizationLog.write({ organizationId: tenants[index % 10]?.organizationId ?? '', level: 'info', source: 'job', message });
  await platform.assembly.domains.monitoring.logs.flush();
  let lost = 0;
  for (const tenant of tenants) {
    const found = await search(tenant, { query: 'source:job', limit: 200 });
    const missing = (await search(tenant, { query: 'source:log' })).reduce((sum, { attributes }) => sum + attributes.missing, 0);
    expect(found.length + missing).toBe(150);
    lost += missing;
  }
  expect(lost).toBeGreaterThan(300);
});

test('log entries are deleted by whole days after the retention time, and newer entries are kept', async () => {
  const tenant = await platform.organization();
  const { organizationLog, domains, retained } = platform.assembly;
  const write = (message: string, days: number): void =>
    organizationLog.write({
      organizationId: tenant.organizationId,
      level: 'info',
      source: 'job',
      message,
      at: new Date(platform.clock.now().getTime() - days * DAY_MS),
    });
  write('old', 40);
  write('young', 29);
  await domains.monitoring.logs.flush();
  const found = async (days: number): Promise<string[]> => {
    const [from, to] = [days + 1, days - 1].map((age) => new Date(platform.clock.now().getTime() - age * DAY_MS).toISOString());
    return (await search(tenant, { from, to })).map(({ message }) => message);
  };
  expect([await found(40), await found(29)]).toEqual([['old'], ['young']]);
  const logs = retained.find(({ name }) => name === 'monitoring.log_entry');
  expect(await logs?.count()).toBeGreaterThanOrEqual(1);
  await eventually(async () => {
    await logs?.delete();
    return (await found(40)).length === 0;
  });
  expect(await found(29)).toEqual(['young']);
});
