import { expect, onTestFinished, test } from 'vitest';
import { createAccount, LOCATION } from '../billing.setup.ts';
import { allSettled, deliveryRows, openTicket, withJira, withSlack } from '../integrations/integrations.setup.ts';
import { eventually, rig } from '../rig.ts';
import { jiraServer } from '../support/jira.server.ts';
import { slackServer } from '../support/slack.server.ts';
import type { Json, Tenant } from '../tenant.ts';
import { receiver } from './receiver.ts';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const TRACEPARENT = `00-${TRACE}-00f067aa0ba902b7-01`;
const OTHER = `00-${TRACE}-b7ad6b7169203331-01`;
const INVALID = `00-${'0'.repeat(32)}-00f067aa0ba902b7-01`;

const tenantOf = async (): Promise<Tenant> => (await rig()).organization({ plan: 'custom' });

async function order(tenant: Tenant, headers: Record<string, string>): Promise<Json> {
  const { id: account_id } = await createAccount(tenant);
  const service = { service_type: 'fiber', bandwidth: '500mbps', location: LOCATION, sla: 'enterprise', billing_cycle: 'monthly' };
  const { status, body } = await tenant.rest('POST', '/connectivity/internet', { body: { account_id, ...service }, headers });
  expect(status).toBe(201);
  return body.data;
}

test('the traceparent of a request that orders a service is in the resulting events and in the headers of their deliveries', async () => {
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
  ['an invalid traceparent', { traceparent: INVALID }],
])('if a request that orders a service has %s, the invoice event and its delivery have no traceparent', async (_, headers) => {
  const tenant = await tenantOf();
  const hook = await receiver();
  await tenant.rest('POST', '/webhooks', { body: { url: hook.url, events: ['invoice.generated'] } });
  await order(tenant, headers);
  await eventually(() => hook.names().includes('invoice.generated'));
  expect(hook.arrivals[0]?.headers).not.toHaveProperty('traceparent');
  const { data } = await tenant.graphql('{ events(filter: { event: ["invoice.generated"] }) { nodes { traceparent } } }');
  expect(data.events.nodes).toEqual([{ traceparent: null }]);
});

test.each([
  ['of the extensions of the operation', {}, { traceparent: TRACEPARENT }, TRACEPARENT],
  [
    'of the extensions of the operation even if connection_init contains another traceparent',
    { traceparent: OTHER },
    { traceparent: TRACEPARENT },
    TRACEPARENT,
  ],
  ['of connection_init if the extensions of the operation contain none', { traceparent: OTHER }, undefined, OTHER],
  [
    'of connection_init if the traceparent in the extensions of the operation is invalid',
    { traceparent: OTHER },
    { traceparent: INVALID },
    OTHER,
  ],
  ['null if none was sent', {}, undefined, null],
])('the event of a mutation over WebSocket has the traceparent %s', async (_, params, extensions, expected) => {
  const tenant = await tenantOf();
  const client = tenant.socket(params);
  onTestFinished(() => void client.dispose());
  const query = 'mutation { createTicket(input: { title: "Line is down", description: "Since 9:30." }) { id } }';
  const result = await client.iterate<Json>({ query, ...(extensions && { extensions }) }).next();
  expect(result.value?.errors).toBeUndefined();
  const nodes = await eventually(async () => {
    const { data } = await tenant.graphql('{ events(filter: { event: ["ticket.created"] }) { nodes { traceparent } } }');
    return data.events.nodes.length > 0 && data.events.nodes;
  });
  expect(nodes).toEqual([{ traceparent: expected }]);
});

test('deliveries and retries to Slack and Jira have the traceparent of the request that caused the event', async () => {
  const platform = await rig();
  const [tenant, slack, jira] = [await tenantOf(), await slackServer(), await jiraServer()];
  const [toSlack, toJira] = [await withSlack(tenant, slack), await withJira(tenant, jira)];
  slack.next([503, '']);
  await openTicket(tenant, {}, { traceparent: TRACEPARENT });
  await allSettled(toJira.id, 1);
  await eventually(async () => (await deliveryRows(toSlack.id))[0]?.error);
  await platform.advance(6000);
  await allSettled(toSlack.id, 1);
  await openTicket(tenant, {}, { traceparent: OTHER });
  await openTicket(tenant);
  await allSettled(toSlack.id, 3);
  await allSettled(toJira.id, 3);
  expect(slack.traceparents).toEqual([TRACEPARENT, TRACEPARENT, OTHER, undefined]);
  expect(jira.traceparents).toEqual([TRACEPARENT, OTHER, undefined]);
});
