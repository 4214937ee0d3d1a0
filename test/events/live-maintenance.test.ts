import { expect, test } from 'vitest';
import { createAccount } from '../billing.setup.ts';
import { clock, eventually } from '../rig.ts';
import { serviceThatIs, tenantWithAccount } from '../services.setup.ts';
import { type Json, Tenant } from '../tenant.ts';
import { follow } from './live.setup.ts';

const MAINTENANCE =
  'subscription ($after: ID) { maintenanceUpdated(after: $after) { event changes accountId maintenanceWindow { status serviceId impact } } }';

test('maintenanceUpdated sends each event of a maintenance with its record; limited callers get only those of their own account', async () => {
  const { tenant, accountId } = await tenantWithAccount();
  const other = (await createAccount(tenant)).id;
  const [mine, foreign] = await Promise.all([accountId, other].map((of) => serviceThatIs('operational', tenant, of)));
  const key = { name: 'Portal', permissions: ['monitoring:read'], accounts: [accountId] };
  const { api_key } = (await tenant.rest('POST', '/auth/api-keys', { body: key })).body;
  // an event that both callers see
  const after = await eventually(async () => {
    const query = 'query ($id: ID!) { events(filter: { subjectId: [$id] }, page: { limit: 1 }) { nodes { id } } }';
    return (await tenant.graphql(query, { id: mine?.id })).data.events.nodes[0]?.id as string;
  });
  const [all, own] = [tenant, new Tenant(tenant.origin, tenant.organizationId, api_key.key)].map((by) =>
    follow(by, MAINTENANCE, { after }),
  );

  const now = clock.now().getTime();
  const at = (hours: number): string => new Date(now + hours * 3_600_000).toISOString();
  const plan = async (serviceId: string | undefined): Promise<string> => {
    const body = { service_id: serviceId, start: at(2), end: at(3), impact: 'down', description: 'New switch' };
    return (await tenant.rest('POST', '/monitoring/maintenance', { body })).body.data.id as string;
  };
  await plan(foreign?.id);
  const id = await plan(mine?.id);
  await tenant.rest('PUT', `/monitoring/maintenance/${id}`, { body: { end: at(4) } });
  await tenant.rest('DELETE', `/monitoring/maintenance/${id}`);

  const received = await eventually(() => {
    const found = all?.of('maintenanceUpdated') ?? [];
    return found.length === 4 && found;
  });
  expect(received.map(({ event, accountId: of }: Json) => [event, of])).toEqual([
    ['maintenance.scheduled', other],
    ['maintenance.scheduled', accountId],
    ['maintenance.updated', accountId],
    ['maintenance.cancelled', accountId],
  ]);
  expect(received[2]?.changes).toEqual({ end: { from: at(3), to: at(4) } });
  expect(received.at(-1)).toMatchObject({
    changes: { status: { from: 'scheduled', to: 'cancelled' } },
    maintenanceWindow: { status: 'CANCELLED', serviceId: mine?.id, impact: 'DOWN' },
  });
  const seen = await eventually(() => {
    const found = own?.of('maintenanceUpdated') ?? [];
    return found.length === 3 && found;
  });
  expect(seen.map(({ maintenanceWindow }: Json) => maintenanceWindow.serviceId)).toEqual([mine?.id, mine?.id, mine?.id]);
  expect([all?.errors(), own?.errors()]).toEqual([[], []]);
});
