import { expect, test } from 'vitest';
import { LOCATION } from '../billing.setup.ts';
import { eventually } from '../rig.ts';
import { serviceThatIs, tenantWithAccount } from '../services.setup.ts';
import type { Json, Tenant } from '../tenant.ts';

/** Waits until the service has `count` events, and returns these events, oldest first. */
const eventsOf = (tenant: Tenant, id: string, count: number): Promise<Json[]> =>
  eventually(async () => {
    const { data } = await tenant.graphql('query($id: ID!) { events(filter: { subjectId: [$id] }) { nodes { payload } } }', { id });
    const events = data.events.nodes.map(({ payload }: Json) => JSON.parse(payload)).toReversed();
    return events.length === count && events;
  });

test('provisioning a service emits service.status_changed for each change and service.provisioned with the price', async () => {
  const { tenant, accountId } = await tenantWithAccount();
  const service = await serviceThatIs('operational', tenant, accountId);
  const [begun, provisioned, changed] = await eventsOf(tenant, service.id, 3);

  expect(begun).toMatchObject({ event: 'service.status_changed', data: { service: { status: 'provisioning' }, reason: null } });
  expect(begun.data.changes).toEqual({ status: { from: 'pending', to: 'provisioning' } });
  expect(changed).toMatchObject({
    event: 'service.status_changed',
    data: { changes: { status: { from: 'provisioning', to: 'operational' } } },
  });
  expect(provisioned).toMatchObject({ event: 'service.provisioned', organization_id: tenant.organizationId });
  expect(provisioned.data.service).toEqual({
    id: service.id,
    account_id: accountId,
    type: 'internet',
    service_type: 'fiber',
    name: 'Business Fiber, 350 Fifth Avenue',
    status: 'operational',
    bandwidth: '1000mbps',
    term_months: null,
    one_time_fee: 199,
    features: [],
    configuration: {},
    sla: 'enterprise',
    billing_cycle: 'monthly',
    price: {
      amount: 403.65,
      currency: 'USD',
      unit: 'month',
      lines: [{ catalog_id: 'business_fiber', item: 'bandwidth:1000mbps', unit: 'month', quantity: 1, unit_price: 403.65 }],
    },
    created_at: service.created_at,
    updated_at: service.updated_at,
    provisioned_at: service.provisioned_at,
  });
});

test('a service whose provisioning fails emits service.status_changed with the reason', async () => {
  const { tenant, accountId } = await tenantWithAccount();
  const service = await serviceThatIs('failed', tenant, accountId, { location: { ...LOCATION, address: 'FAIL-PERMANENT' } });
  const [, failed] = await eventsOf(tenant, service.id, 2);
  expect(failed).toMatchObject({
    event: 'service.status_changed',
    data: { changes: { status: { from: 'provisioning', to: 'failed' } }, reason: service.status_reason },
  });
});

test('ending a service emits service.status_changed for each change, and service.decommissioned once with the reason', async () => {
  const { tenant, accountId } = await tenantWithAccount();
  const { id } = await serviceThatIs('operational', tenant, accountId);
  await tenant.rest('POST', `/services/${id}/decommission`, { body: { reason: 'Office closed' } });
  const [, , , begun, changed, decommissioned] = await eventsOf(tenant, id, 6);
  const reason = 'Office closed';
  const statuses = { status: { from: 'decommissioning', to: 'decommissioned' } };
  expect(begun).toMatchObject({ event: 'service.status_changed', data: { service: { status: 'decommissioning' }, reason } });
  expect(changed).toMatchObject({ event: 'service.status_changed', data: { changes: statuses, reason } });
  expect(decommissioned).toMatchObject({
    event: 'service.decommissioned',
    organization_id: tenant.organizationId,
    data: { service: { id, account_id: accountId, status: 'decommissioned' }, changes: statuses, reason },
  });
});
