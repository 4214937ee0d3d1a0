import { expect, test } from 'vitest';
import { createAccount } from '../billing.setup.ts';
import { failingService, openIncident } from '../incidents.setup.ts';
import { rig } from '../rig.ts';
import { minutesPass, serviceThatIs, tenantWithAccount } from '../services.setup.ts';
import { type Json, Tenant } from '../tenant.ts';

const overall = async (by: Tenant): Promise<Json> => (await by.rest('GET', '/monitoring/status')).body.data;
const inHours = async (hours: number): Promise<string> => new Date((await rig()).clock.now().getTime() + hours * 3_600_000).toISOString();

test('an organization without services is operational, and has no uptime', async () => {
  const { tenant } = await tenantWithAccount();
  expect(await overall(tenant)).toEqual({
    status: 'operational',
    checked_at: expect.any(String),
    services: { total: 0, by_status: [], affected: [] },
    open_incident_count: 0,
    open_incidents: [],
    next_maintenance: null,
    uptime_percentage: null,
    availability_target: 99.99,
    components: expect.any(Array),
  });
});

test.each([
  ['developer', 99.9],
  ['business', 99.95],
  ['enterprise', 99.99],
] as const)('the plan %s promises an availability of %d percent', async (plan, target) => {
  expect((await overall(await (await rig()).organization({ plan }))).availability_target).toBe(target);
});

test('the overall status contains the failing services, the open incidents, the next maintenance and the uptime', async () => {
  const { tenant, accountId } = await tenantWithAccount();
  const works = await serviceThatIs('operational', tenant, accountId);
  const other = await serviceThatIs('operational', tenant, accountId);
  for (const from of [8, 2])
    await tenant.rest('POST', '/monitoring/maintenance', {
      body: {
        service_id: works.id,
        start: await inHours(from),
        end: await inHours(from + 1),
        title: `Window ${from}`,
        description: `In ${from} hours`,
      },
    });
  expect(await overall(tenant)).toMatchObject({
    status: 'operational',
    next_maintenance: { title: 'Window 2', description: 'In 2 hours' },
  });
  const { service, incident } = await failingService(tenant, accountId);
  await minutesPass(1, tenant, service.id);
  const found = await overall(tenant);
  expect(found).toMatchObject({
    status: 'partial_outage',
    services: {
      total: 3,
      by_status: [
        { status: 'down', count: 1 },
        { status: 'operational', count: 2 },
      ],
      affected: [{ service_id: service.id, name: 'Branch SIM-DOWN', status: 'down', reason: 'The connection is down.' }],
    },
    open_incident_count: 1,
    open_incidents: [{ id: incident.id, number: 'INC-1001', status: 'investigating', severity: 'major' }],
    next_maintenance: { service_id: works.id, description: 'In 2 hours' },
  });
  expect(found.uptime_percentage).toBeLessThan(100);
  await tenant.rest('DELETE', `/services/${other.id}`);
  await openIncident(tenant);
  expect((await overall(tenant)).open_incident_count).toBe(2);
});

test('a caller who is limited to accounts sees only the status of services of these accounts', async () => {
  const { tenant, accountId } = await tenantWithAccount();
  const other = (await createAccount(tenant)).id;
  await serviceThatIs('operational', tenant, accountId);
  await failingService(tenant, other);
  const key = { name: 'Portal', permissions: ['monitoring:read'], accounts: [accountId] };
  const { api_key } = (await tenant.rest('POST', '/auth/api-keys', { body: key })).body;
  const limited = new Tenant(tenant.origin, tenant.organizationId, api_key.key);
  expect(await overall(limited)).toMatchObject({
    status: 'operational',
    services: { total: 1, affected: [] },
    open_incident_count: 0,
    uptime_percentage: 100,
  });
});

test('the status of a monitored service is byte by byte equal to the status of the service, and requires only monitoring:read', async () => {
  const { tenant, accountId } = await tenantWithAccount();
  const { id } = await serviceThatIs('operational', tenant, accountId);
  await minutesPass(1, tenant, id);
  const monitor = await tenant.limitedTo('monitoring:read');
  const dataOf = async (by: Tenant, path: string): Promise<string> => {
    const response = await fetch(`${by.origin}/v1${path}`, { headers: { authorization: `Bearer ${by.apiKey}` } });
    const text = await response.text();
    return /"data":(\{.*\}),"/.exec(text)?.[1] ?? text;
  };
  const own = await dataOf(tenant, `/services/${id}/status`);
  expect(own).toContain('"latency_ms":');
  expect(await dataOf(monitor, `/monitoring/services/${id}/status`)).toBe(own);
  expect((await monitor.rest('GET', `/services/${id}/status`)).status).toBe(403);
  expect((await monitor.rest('GET', '/monitoring/services/svc_01JQ8Z6V4T9M3N2B1C0D9E8F7G/status')).status).toBe(404);
});
