import { beforeAll, expect, test } from 'vitest';
import { createAccount } from '../billing.setup.ts';
import { type Rig, rig } from '../rig.ts';
import { serviceThatIs, tenantWithAccount } from '../services.setup.ts';
import { type Json, Tenant } from '../tenant.ts';

let platform: Rig;
beforeAll(async () => {
  platform = await rig();
});

test('an organization that has sent no samples has no metrics', async () => {
  const tenant = await platform.organization();
  const { status, body } = await tenant.rest('GET', '/monitoring/metrics');
  expect([status, body.data, body.pagination.total]).toEqual([200, [], 0]);
});

test('a metric has its newest value, and lists at most 20 of its services that the caller may see', async () => {
  const { tenant, accountId } = await tenantWithAccount();
  const { id } = await serviceThatIs('operational', tenant, accountId);
  const { id: other } = await serviceThatIs('operational', tenant, (await createAccount(tenant, 'Other')).id);
  const now = platform.clock.now().getTime();
  const sample = (serviceId: string | null, ageMs: number, value: number): Json => ({
    ...{ metric: 'queue.length', service_id: serviceId, at: new Date(now - ageMs), value },
  });
  const samples = [sample(id, 3000, 1), sample(id, 2000, 2), sample(other, 1000, 3), sample(null, 5000, 4)];
  await tenant.rest('POST', '/monitoring/samples', { body: { samples } });
  const listed = async (by: Tenant, query = ''): Promise<Json> =>
    (await by.rest('GET', `/monitoring/metrics?search=QUEUE.l${query}`)).body.data[0];
  expect(await listed(tenant)).toMatchObject({ series_count: 3, last: { value: 3, at: new Date(now - 1000).toISOString() } });
  expect((await listed(tenant)).service_ids.toSorted()).toEqual([id, other].toSorted());
  expect(await listed(tenant, `&service_id=${id}`)).toMatchObject({ series_count: 1, last: { value: 2 }, service_ids: [id] });
  const { body } = await tenant.rest('POST', '/auth/api-keys', {
    body: { name: 'limited', permissions: ['monitoring:read', 'services:read'], accounts: [accountId] },
  });
  const limited = new Tenant(tenant.origin, tenant.organizationId, body.api_key.key);
  expect(await listed(limited)).toMatchObject({ series_count: 1, last: { value: 2 }, service_ids: [id] });
  const { data } = await limited.graphql('{ metrics(search: "queue") { nodes { last { value } services { id name } } } }');
  expect(data.metrics.nodes).toEqual([{ last: { value: 2 }, services: [{ id, name: expect.any(String) }] }]);
  const many = Array.from({ length: 25 }, (_, n) => ({ metric: 'many', labels: { n: String(n) }, at: new Date(now - n), value: n }));
  await tenant.rest('POST', '/monitoring/samples', { body: { samples: many } });
  expect((await tenant.rest('GET', '/monitoring/metrics?search=many')).body.data).toMatchObject([{ series_count: 25, service_ids: [] }]);
});
