import { expect, test } from 'vitest';
import { createAccount, LOCATION } from '../billing.setup.ts';
import { eventually, rig } from '../rig.ts';
import type { Json, Tenant } from '../tenant.ts';
import { receiver } from './receiver.ts';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const TRACEPARENT = `00-${TRACE}-00f067aa0ba902b7-01`;

const tenantOf = async (): Promise<Tenant> => (await rig()).organization({ plan: 'custom' });

async function order(tenant: Tenant, headers: Record<string, string>): Promise<Json> {
  const { id: account_id } = await createAccount(tenant);
  const service = { service_type: 'fiber', bandwidth: '500mbps', location: LOCATION, sla: 'enterprise', billing_cycle: 'monthly' };
  const { status, body } = await tenant.rest('POST', '/connectivity/internet', { body: { account_id, ...service }, headers });
  expect(status).toBe(201);
  return body.data;
}

test('a request with a traceparent can be followed to its event, its job, the event of the job, the invoice, and the webhooks', async () => {
  const tenant = await tenantOf();
  const hook = await receiver();
  const events = ['service.provisioned', 'invoice.generated'];
  const made = await tenant.rest('POST', '/webhooks', { body: { url: hook.url, events } });
  expect(made.status).toBe(201);
  await order(tenant, { traceparent: TRACEPARENT });
  await eventually(() => hook.names().includes('invoice.generated') && hook.names().includes('service.provisioned'));
  expect(hook.arrivals.map(({ headers }) => headers.traceparent)).toEqual(hook.arrivals.map(() => TRACEPARENT));
  const { data } = await tenant.graphql(
    'query($events: [String!]) { events(filter: { event: $events }) { nodes { event traceparent } } }',
    {
      events,
    },
  );
  expect(data.events.nodes.map(({ event }: Json) => event).sort()).toEqual(['invoice.generated', 'service.provisioned']);
  for (const { traceparent } of data.events.nodes) expect(traceparent).toBe(TRACEPARENT);
});

test.each([
  ['no traceparent', {}],
  ['a traceparent that is none', { traceparent: `00-${'0'.repeat(32)}-00f067aa0ba902b7-01` }],
])('a request with %s leaves its event and its webhook without one', async (_, headers) => {
  const tenant = await tenantOf();
  const hook = await receiver();
  await tenant.rest('POST', '/webhooks', { body: { url: hook.url, events: ['invoice.generated'] } });
  await order(tenant, headers);
  await eventually(() => hook.names().includes('invoice.generated'));
  expect(hook.arrivals[0]?.headers).not.toHaveProperty('traceparent');
  const { data } = await tenant.graphql('{ events(filter: { event: ["invoice.generated"] }) { nodes { traceparent } } }');
  expect(data.events.nodes).toEqual([{ traceparent: null }]);
});
