import { beforeAll, expect, test } from 'vitest';
import { type Rig, rig } from '../rig.ts';
import { jiraServer } from '../support/jira.server.ts';
import { slackServer } from '../support/slack.server.ts';
import type { Json, Tenant } from '../tenant.ts';
import { allSettled, openTicket, settled, withJira, withSlack } from './integrations.setup.ts';

let platform: Rig;
beforeAll(async () => {
  platform = await rig();
});

const deliveries = async (tenant: Tenant, kind: 'slack' | 'jira', id: string, query = ''): Promise<Json> => {
  const { status, body } = await tenant.rest('GET', `/support/integrations/${kind}/${id}/deliveries${query}`);
  expect(status, JSON.stringify(body)).toBe(200);
  return body;
};
const statuses = ({ data }: Json): string[] => data.map(({ status }: Json) => status);

/**
 * Creates an integration with three deliveries: a delivered message, a message that Slack rejected, and a message that is pending after a
 * failure.
 */
async function withDeliveries(): Promise<{ tenant: Tenant; id: string }> {
  const [tenant, slack] = [await platform.organization(), await slackServer()];
  const { id } = await withSlack(tenant, slack, { events: ['ticket.created'] });
  await openTicket(tenant);
  await allSettled(id, 1);
  slack.next([400, 'invalid_payload'], [500, 'rollup_error']);
  await openTicket(tenant);
  await allSettled(id, 2);
  await openTicket(tenant);
  await settled(tenant, 'slack', id, (one) => one.last_error === 'Slack answered 500: rollup_error');
  return { tenant, id };
}

test('the list of Slack deliveries contains the result of each message, newest first', async () => {
  const { tenant, id } = await withDeliveries();
  const { data } = await deliveries(tenant, 'slack', id);
  const shared = {
    id: expect.stringMatching(/^idlv_/),
    integration_id: id,
    event_id: expect.stringMatching(/^evt_/),
    event: 'ticket.created',
  };
  const all = { ...shared, attempts: 1, created_at: expect.any(String) };
  expect(data).toEqual([
    { ...all, status: 'pending', error: 'Slack answered 500: rollup_error', settled_at: null },
    { ...all, status: 'refused', error: 'Slack answered 400: invalid_payload', settled_at: expect.any(String) },
    { ...all, status: 'delivered', error: null, settled_at: expect.any(String) },
  ]);
});

test('the list of integration deliveries can be filtered and paged, and GraphQL returns the same deliveries', async () => {
  const { tenant, id } = await withDeliveries();
  expect(statuses(await deliveries(tenant, 'slack', id, '?status=refused,delivered'))).toEqual(['refused', 'delivered']);
  expect(statuses(await deliveries(tenant, 'slack', id, '?event=ticket.resolved'))).toEqual([]);
  const [newest] = (await deliveries(tenant, 'slack', id)).data;
  expect(statuses(await deliveries(tenant, 'slack', id, `?created_before=${newest.created_at}`))).toEqual(['refused', 'delivered']);
  expect(statuses(await deliveries(tenant, 'slack', id, `?created_after=${newest.created_at}`))).toEqual(['pending']);
  const second = await deliveries(tenant, 'slack', id, '?per_page=1&page=2');
  expect(statuses(second)).toEqual(['refused']);
  expect(JSON.stringify(second)).toContain('"total":3');

  const query = `query ($id: ID!) {
    slackIntegrationDeliveries(slackIntegrationId: $id, filter: { status: [REFUSED] }) { nodes { id error } pageInfo { total } }
  }`;
  const { slackIntegrationDeliveries: found } = (await tenant.graphql(query, { id })).data;
  expect(found).toEqual({ nodes: [{ id: second.data[0].id, error: 'Slack answered 400: invalid_payload' }], pageInfo: { total: 1 } });
});

test('reading deliveries of a Slack integration under the Jira path, or of a Jira integration under the Slack path, returns 404', async () => {
  const [tenant, jira, slack] = [await platform.organization(), await jiraServer(), await slackServer()];
  const [there, here] = [await withJira(tenant, jira), await withSlack(tenant, slack)];
  await openTicket(tenant);
  await allSettled(there.id, 1);
  expect((await deliveries(tenant, 'jira', there.id)).data).toMatchObject([{ integration_id: there.id, status: 'delivered' }]);
  for (const [kind, id] of [
    ['jira', here.id],
    ['slack', there.id],
  ])
    expect((await tenant.rest('GET', `/support/integrations/${kind}/${id}/deliveries`)).status).toBe(404);
  const desk = await tenant.limitedTo('support:write', 'support:read');
  const refused = await desk.rest('GET', `/support/integrations/jira/${there.id}/deliveries`);
  expect(refused.body.error.details).toMatchObject({ required: 'support:admin' });
});
