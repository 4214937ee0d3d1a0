import { expect, test } from 'vitest';
import { createAccount } from '../billing.setup.ts';
import { openIncident } from '../incidents.setup.ts';
import { eventually } from '../rig.ts';
import { serviceThatIs, tenantWithAccount } from '../services.setup.ts';
import { type Json, Tenant } from '../tenant.ts';
import { follow } from './live.setup.ts';

const INCIDENTS =
  'subscription ($after: ID) { incidentUpdated(after: $after) { event accountId incident { number status services { serviceId } } } }';

test('incidentUpdated sends each event of an incident with its record, and limited callers get only events of their own accounts', async () => {
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
  const [all, own] = [tenant, new Tenant(tenant.origin, tenant.organizationId, api_key.key)].map((by) => follow(by, INCIDENTS, { after }));

  await openIncident(tenant, { service_ids: [mine?.id, foreign?.id] });
  const { id } = await openIncident(tenant, { service_ids: [mine?.id] });
  await tenant.rest('PUT', `/monitoring/incidents/${id}`, { body: { status: 'resolved' } });

  const received = await eventually(() => {
    const found = all?.of('incidentUpdated') ?? [];
    return found.length === 3 && found;
  });
  expect(received.map(({ event, accountId: of }: Json) => [event, of])).toEqual([
    ['incident.opened', null],
    ['incident.opened', accountId],
    ['incident.resolved', accountId],
  ]);
  expect(received.at(-1)?.incident).toEqual({ number: 'INC-1002', status: 'RESOLVED', services: [{ serviceId: mine?.id }] });
  const seen = await eventually(() => {
    const found = own?.of('incidentUpdated') ?? [];
    return found.length === 2 && found;
  });
  expect(seen.map(({ event }: Json) => event)).toEqual(['incident.opened', 'incident.resolved']);
  expect([all?.errors(), own?.errors()]).toEqual([[], []]);
});
