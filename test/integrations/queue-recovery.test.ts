import { beforeAll, expect, test } from 'vitest';
import { newId } from '../../kernel/records/ids.ts';
import { eventually, type Rig, rig } from '../rig.ts';
import { jiraServer } from '../support/jira.server.ts';
import { slackServer } from '../support/slack.server.ts';
import { onlyTable, rows } from '../support/tables.ts';
import { allSettled, deliveryRows, openTicket, settled, withJira, withSlack } from './integrations.setup.ts';

let platform: Rig;
beforeAll(async () => {
  platform = await rig();
});

/** Simulates a process that was killed after it sent a request and before it recorded the result. */
const killedAfter = async (integrationId: string): Promise<void> => {
  const all = await rows();
  const leaseUntil = new Date(platform.clock.now().getTime() + 90_000);
  await all.query(
    `update "support"."integration_delivery" set status = 'pending', uncertain = true, settled_at = null,
       payload = (select payload from "events"."event_log" e where e.id = event_id) where integration_id = $1`,
    [integrationId],
  );
  for (const table of ['slack_integration', 'jira_integration'])
    await all.query(`update "support"."${table}" set lease_until = $2 where id = $1`, [integrationId, leaseUntil]);
};

test('concurrent jobs of one integration send each event to Jira once', async () => {
  const [tenant, jira] = [await platform.organization(), await jiraServer()];
  const { id } = await withJira(tenant, jira);
  const path = `/support/integrations/jira/${id}`;
  // each update enqueues its own job, in addition to the jobs of the events
  await Promise.all([1, 2, 3, 4, 5].flatMap(() => [openTicket(tenant), tenant.rest('PUT', path, { body: { active: true } })]));
  await allSettled(id, 5);
  expect(jira.issues).toHaveLength(5);
  expect(new Set(jira.issues.map(({ fields }) => fields.labels[0])).size).toBe(5);
});

test("if a process is killed before it records a new Jira issue, a search finds the issue after the process's lease expires", async () => {
  const [tenant, jira] = [await platform.organization(), await jiraServer()];
  const { id } = await withJira(tenant, jira);
  const ticket = await openTicket(tenant);
  await allSettled(id, 1);
  await (await rows()).query('delete from "support"."jira_issue" where integration_id = $1', [id]);
  await killedAfter(id);
  const before = jira.requests.length;
  await openTicket(tenant, { title: 'Second' });
  await eventually(async () => (await deliveryRows(id)).length === 2);
  expect(jira.requests).toHaveLength(before);
  await platform.advance(91_000);
  await allSettled(id, 2);
  expect(jira.issues).toHaveLength(2);
  const { data } = await tenant.graphql('query ($id: ID!) { ticket(id: $id) { issues { key } } }', { id: ticket.id });
  expect(data.ticket.issues).toEqual([{ key: 'SUP-1' }]);
});

test('an event with an unknown format is logged and does not prevent later Slack messages', async () => {
  const [tenant, slack] = [await platform.organization(), await slackServer()];
  const { id } = await withSlack(tenant, slack);
  const { organizationId } = tenant;
  const odd = { id: newId('event'), organizationId, event: 'ticket.created', subject: { type: 'Ticket', id: 'ticket_1' }, accountId: null };
  await platform.assembly.domains.events.append([{ ...odd, occurredAt: platform.clock.now(), payload: '{"data":7}' }]);
  await openTicket(tenant, { title: 'Behind it' });
  await allSettled(id, 1);
  expect(slack.posted.map(({ section }) => section)).toEqual([expect.stringContaining('Behind it')]);
  expect(platform.logged.some((line) => line.includes(odd.id))).toBe(true);
});

test('after a failure inside the platform, the integration shows an error, and the message is sent when the failure is fixed', async () => {
  const [tenant, slack] = [await platform.organization(), await slackServer()];
  const { id } = await withSlack(tenant, slack);
  const table = await onlyTable('support.slack_integration');
  const [sealed] = await (await rows()).query<{ url: string }>(
    'select sealed_webhook_url as url from "support"."slack_integration" where id = $1',
    [id],
  );
  await table.set('sealed_webhook_url', 'no key opens this', 'id', id);
  await openTicket(tenant);
  const failing = await settled(tenant, 'slack', id, (one) => one.last_error);
  expect(failing).toMatchObject({
    active: true,
    failing_since: expect.any(String),
    last_error: expect.stringMatching(/^The platform failed to/),
  });
  expect(await deliveryRows(id)).toMatchObject([{ status: 'pending', attempts: 1, error: failing.last_error }]);
  await table.set('sealed_webhook_url', sealed?.url ?? '', 'id', id);
  await platform.advance(6000);
  await allSettled(id, 1);
  expect(slack.posted).toHaveLength(1);
});

test('a Slack message is sent again if a process was killed before it recorded the message as sent', async () => {
  const [tenant, slack] = [await platform.organization(), await slackServer()];
  const { id } = await withSlack(tenant, slack);
  await openTicket(tenant);
  await allSettled(id, 1);
  await killedAfter(id);
  await tenant.rest('PUT', `/support/integrations/slack/${id}`, { body: { active: true } });
  await platform.advance(91_000);
  await allSettled(id, 1);
  expect(slack.posted).toHaveLength(2);
});

test('pending messages of a deleted integration are deleted, and pending messages of an inactive integration are sent after its activation', async () => {
  const [tenant, slack] = [await platform.organization(), await slackServer()];
  const [gone, kept] = [await withSlack(tenant, slack), await withSlack(tenant, slack, { channel: '#kept' })];
  slack.next([429, '', { 'retry-after': '60' }], [429, '', { 'retry-after': '60' }]);
  await openTicket(tenant);
  for (const { id } of [gone, kept]) await settled(tenant, 'slack', id, (one) => one.last_error);
  await tenant.rest('DELETE', `/support/integrations/slack/${gone.id}`);
  await tenant.rest('PUT', `/support/integrations/slack/${kept.id}`, { body: { active: false } });
  // an inactive integration receives no new events; the delivery of an active one shows that the event was processed
  const witness = await withSlack(tenant, await slackServer());
  await openTicket(tenant, { title: 'Meanwhile' });
  await allSettled(witness.id, 1);
  await platform.advance(61_000);
  expect(await deliveryRows(gone.id)).toEqual([]);
  expect(slack.posted).toEqual([]);
  await tenant.rest('PUT', `/support/integrations/slack/${kept.id}`, { body: { active: true } });
  expect(await allSettled(kept.id, 1)).toHaveLength(1);
  expect(slack.posted.map(({ body }) => body.channel)).toEqual(['#kept']);
});
