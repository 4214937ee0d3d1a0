import { beforeAll, describe, expect, test } from 'vitest';
import { eventually, type Rig, rig } from '../rig.ts';
import { type SlackResponse, slackServer } from '../support/slack.server.ts';
import { rows } from '../support/tables.ts';
import { allSettled, changeTicket, deliveryRows, openTicket, readBack, settled, withSlack } from './integrations.setup.ts';

let platform: Rig;
beforeAll(async () => {
  platform = await rig();
});

describe('Slack messages', () => {
  test('a new ticket is posted to the Slack channel with its details, a fallback text and a link', async () => {
    const [tenant, slack] = [await platform.organization(), await slackServer()];
    const { id } = await withSlack(tenant, slack);
    const ticket = await openTicket(tenant, { title: 'Line is down' });
    const { body, section } = await eventually(() => slack.posted[0]);
    const page = `${platform.origin}/console/tickets/${ticket.id}`;
    expect(section).toBe(`*New ticket*\n<${page}|${ticket.number}> Line is down\nStatus: open   Priority: high`);
    expect(body).toMatchObject({
      text: `New ticket: ${ticket.number} Line is down (high, open)`,
      channel: '#support',
      unfurl_links: false,
      blocks: [
        { type: 'section', text: { type: 'mrkdwn' } },
        { type: 'context', elements: [{ type: 'mrkdwn', text: `<${page}|Open ${ticket.number}>` }] },
      ],
    });
    expect(await settled(tenant, 'slack', id, (one) => one.last_success_at)).toMatchObject({
      active: true,
      failing_since: null,
      last_error: null,
    });
  });

  test("Slack messages about a ticket are each sent once, in the order of the ticket's events, and at most one per second", async () => {
    const [tenant, slack] = [await platform.organization(), await slackServer()];
    const { id } = await withSlack(tenant, slack, { message_format: { template: '{{event.name}} {{changes}}' } });
    const ticket = await openTicket(tenant);
    await changeTicket(tenant, ticket.id, { status: 'in_progress' });
    await changeTicket(tenant, ticket.id, { status: 'resolved' });
    await allSettled(id, 4);
    expect(slack.posted.map(({ section }) => section)).toEqual([
      'ticket.created',
      'ticket.updated status: open → in_progress',
      'ticket.updated status: in_progress → resolved',
      'ticket.resolved status: in_progress → resolved',
    ]);
    const pauses = slack.posted.slice(1).map(({ at }, index) => at - (slack.posted[index]?.at ?? 0));
    expect(Math.min(...pauses)).toBeGreaterThan(990);
  });

  test('an event that does not match the event patterns and priority filter of an integration is not sent to Slack', async () => {
    const [tenant, slack] = [await platform.organization(), await slackServer()];
    const wanted = { events: ['ticket.created', 'ticket.escalated'], filters: { priorities: ['high', 'critical'] } };
    const { id } = await withSlack(tenant, slack, wanted);
    const low = await openTicket(tenant, { priority: 'low' });
    await changeTicket(tenant, low.id, { status: 'in_progress' });
    await changeTicket(tenant, low.id, { priority: 'critical' });
    await openTicket(tenant, { priority: 'critical', title: 'The last' });
    await eventually(() => slack.posted.some(({ section }) => section.includes('The last')));
    expect((await deliveryRows(id)).map(({ event }) => event)).toEqual(['ticket.escalated', 'ticket.created']);
  });

  test('the text of a ticket is escaped and shortened in a Slack message', async () => {
    const [tenant, slack] = [await platform.organization(), await slackServer()];
    await withSlack(tenant, slack, {
      events: ['ticket.created'],
      message_format: { template: `{{ticket.title}} ${'{{ticket.title}} '.repeat(30)}` },
    });
    const ticket = await openTicket(tenant, { title: `<!channel> & <https://evil.example.com|x> ${'&'.repeat(100)}` });
    const { section, body } = await eventually(() => slack.posted[0]);
    expect(section).toContain('&lt;!channel&gt; &amp; &lt;https://evil.example.com|x&gt;');
    expect(section.length).toBeLessThanOrEqual(3000);
    expect(section.replace(/&(amp|lt|gt);/g, '')).not.toMatch(/[&<>]/);
    expect(body.text).toContain(ticket.number);
    expect(body.text).not.toContain('<');
  });

  test('an event of another organization is not sent to Slack', async () => {
    const [tenant, stranger, slack] = [await platform.organization(), await platform.organization(), await slackServer()];
    const { id } = await withSlack(tenant, slack);
    await openTicket(stranger);
    await openTicket(tenant, { title: 'Ours' });
    await allSettled(id, 1);
    expect(slack.posted.map(({ section }) => section)).toEqual([expect.stringContaining('Ours')]);
  });
});

describe('Slack error responses', () => {
  const FATAL: [string, SlackResponse, string][] = [
    ['403 invalid_token', [403, 'invalid_token'], 'invalid_token'],
    ['403 action_prohibited', [403, 'action_prohibited'], 'action_prohibited'],
    ['404 channel_not_found', [404, 'channel_not_found'], 'channel_not_found'],
    ['404 no_service', [404, 'no_service'], 'no_service'],
    ['410 channel_is_archived', [410, 'channel_is_archived'], 'channel_is_archived'],
    ['404 with an HTML page', [404, '<html>no such page</html>'], 'not_found'],
  ];
  test.each(FATAL)(
    'the Slack response %s disables the integration with a disabled_reason and creates an integration.disabled event',
    async (_, response, reason) => {
      const [tenant, slack] = [await platform.organization(), await slackServer()];
      const { id } = await withSlack(tenant, slack);
      slack.next(response);
      await openTicket(tenant);
      const integration = await settled(tenant, 'slack', id, (one) => !one.active);
      expect(integration).toMatchObject({ disabled_reason: reason, disabled_at: expect.any(String), failing_since: expect.any(String) });
      expect(integration.last_error).toMatch(/^Slack answered 4\d\d/);
      expect(integration.last_error).not.toContain('<');
      const disabled = await eventually(async () => {
        const { data } = await tenant.graphql('{ events(filter: { event: ["integration.disabled"] }) { nodes { data } } }');
        return data.events.nodes[0]?.data.integration;
      });
      expect(disabled).toMatchObject({ id, kind: 'slack', target: '#support', disabled_reason: reason });
      // pending messages are kept, and are sent after the owner has activated the integration again
      expect(slack.posted).toEqual([]);
      const resumed = await tenant.rest('PUT', `/support/integrations/slack/${id}`, { body: { active: true } });
      expect(resumed.body.data).toMatchObject({ active: true, disabled_at: null, disabled_reason: null, failing_since: null });
      await eventually(() => slack.posted.length === 1);
    },
  );

  test.each(['invalid_payload', 'no_text', 'invalid_blocks', 'user_not_found'])(
    'if Slack rejects a message with 400 %s, only this message fails, and later messages are sent',
    async (word) => {
      const [tenant, slack] = [await platform.organization(), await slackServer()];
      const { id } = await withSlack(tenant, slack);
      slack.next([400, word]);
      await openTicket(tenant, { title: 'Refused' });
      await settled(tenant, 'slack', id, (one) => one.last_error);
      await openTicket(tenant, { title: 'Taken' });
      const kept = await allSettled(id, 2);
      expect(kept).toMatchObject([
        { status: 'refused', error: `Slack answered 400: ${word}`, payload: null },
        { status: 'delivered', attempts: 1 },
      ]);
      expect(slack.posted.map(({ section }) => section)).toEqual([expect.stringContaining('Taken')]);
      expect(await readBack(tenant, 'slack', id)).toMatchObject({ active: true, failing_since: null });
    },
  );

  test('the Slack response 429 postpones the message by Retry-After and does not count as a failure', async () => {
    const [tenant, slack] = [await platform.organization(), await slackServer()];
    const { id } = await withSlack(tenant, slack);
    slack.next([429, 'rate_limited', { 'retry-after': '3600' }]);
    await openTicket(tenant, { title: 'First' });
    await settled(tenant, 'slack', id, (one) => one.last_error === 'Slack answered 429: rate_limited');
    await openTicket(tenant, { title: 'Second' });
    await eventually(async () => (await deliveryRows(id)).length === 2);
    await platform.advance(3_000_000);
    // a delivery of another integration, which does not wait, shows that due messages have been processed
    const witness = await withSlack(tenant, await slackServer());
    await openTicket(tenant, { title: 'Third' });
    await allSettled(witness.id, 1);
    expect(slack.requests).toBe(1);
    expect(await readBack(tenant, 'slack', id)).toMatchObject({ active: true, failing_since: null });
    await platform.advance(601_000);
    await allSettled(id, 3);
    expect(slack.posted.map(({ section }) => section)).toEqual(['First', 'Second', 'Third'].map((title) => expect.stringContaining(title)));
  });

  test('if Slack sends a Retry-After of more than a day, the next attempt is postponed by only one day', async () => {
    const [tenant, slack] = [await platform.organization(), await slackServer()];
    const { id } = await withSlack(tenant, slack);
    slack.next([429, 'rate_limited', { 'retry-after': '9'.repeat(20) }]);
    await openTicket(tenant);
    await settled(tenant, 'slack', id, (one) => one.last_error === 'Slack answered 429: rate_limited');
    const [row] = await (await rows()).query<{ retry_at: Date }>('select retry_at from "support"."slack_integration" where id = $1', [id]);
    const delayMs = new Date(row?.retry_at ?? 0).getTime() - platform.clock.now().getTime();
    expect(Math.round(delayMs / 60_000)).toBe(24 * 60);
  });

  const PASSING: [string, SlackResponse, string][] = [
    ['500 rollup_error', [500, 'rollup_error'], 'Slack answered 500: rollup_error'],
    ['503', [503, ''], 'Slack answered 503'],
    ['200 with a foreign HTML page', [200, '<html>Sign in to the network</html>'], 'Slack answered 200'],
    ['302, which is not followed', [302, '', { location: 'http://127.0.0.1:9/' }], 'Slack answered 302'],
  ];
  test.each(PASSING)('a Slack message is sent again after the response %s', async (_, response, error) => {
    const [tenant, slack] = [await platform.organization(), await slackServer()];
    const { id } = await withSlack(tenant, slack);
    slack.next(response);
    await openTicket(tenant);
    expect(await settled(tenant, 'slack', id, (one) => one.failing_since)).toMatchObject({ active: true, last_error: error });
    expect(slack.posted).toEqual([]);
    await platform.advance(6000);
    expect(await allSettled(id, 1)).toMatchObject([{ status: 'delivered', attempts: 2 }]);
    expect(await readBack(tenant, 'slack', id)).toMatchObject({ failing_since: null, last_success_at: expect.any(String) });
    expect(slack.posted).toHaveLength(1);
  });

  test('a Slack message is sent again if the response of Slack was lost', async () => {
    const [tenant, slack] = [await platform.organization(), await slackServer()];
    const { id } = await withSlack(tenant, slack);
    slack.next('lost');
    await openTicket(tenant);
    expect(await settled(tenant, 'slack', id, (one) => one.failing_since)).toMatchObject({ last_error: 'the connection was closed' });
    await platform.advance(6000);
    await allSettled(id, 1);
    expect(slack.posted).toHaveLength(2);
  });

  test('a Slack integration that fails for five days is disabled, and messages older than a day are not sent later', async () => {
    const [tenant, slack] = [await platform.organization(), await slackServer()];
    const { id } = await withSlack(tenant, slack, { events: ['ticket.created'] });
    slack.next([500, 'rollup_error'], [500, 'rollup_error']);
    await openTicket(tenant, { title: 'Old' });
    await settled(tenant, 'slack', id, (one) => one.failing_since);
    await platform.advance(5 * 86_400_000);
    // the old message has expired, so that a new message receives the second error
    await openTicket(tenant, { title: 'New' });
    expect(await settled(tenant, 'slack', id, (one) => !one.active)).toMatchObject({ disabled_reason: 'failing' });
    await tenant.rest('PUT', `/support/integrations/slack/${id}`, { body: { active: true } });
    expect((await allSettled(id, 2)).map(({ status }) => status)).toEqual(['expired', 'delivered']);
    expect(slack.posted.map(({ section }) => section)).toEqual([expect.stringContaining('New')]);
  });
});
