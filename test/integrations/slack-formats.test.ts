import { beforeAll, describe, expect, test } from 'vitest';
import { eventually, type Rig, rig } from '../rig.ts';
import { slackServer } from '../support/slack.server.ts';
import { allSettled, openTicket, withSlack } from './integrations.setup.ts';

const MINUTE_MS = 60_000;

let platform: Rig;
beforeAll(async () => {
  platform = await rig();
});

describe('Slack message templates', () => {
  test.each(['toString', 'hasOwnProperty {{ticket.title}}'])('the Slack template "%s" is used as a custom text', async (template) => {
    const [tenant, slack] = [await platform.organization(), await slackServer()];
    await withSlack(tenant, slack, { message_format: { template } });
    await openTicket(tenant, { title: 'Down' });
    expect((await eventually(() => slack.posted[0])).section).toBe(template.replace('{{ticket.title}}', 'Down'));
  });

  test('creating a Slack integration with an unknown one-word template such as "constructor" returns 400', async () => {
    const [tenant, slack] = [await platform.organization(), await slackServer()];
    const body = { webhook_url: slack.url, channel: '#support', events: ['ticket.*'], message_format: { template: 'constructor' } };
    const response = await tenant.rest('POST', '/support/integrations/slack', { body });
    expect([response.status, response.body.error?.details.field]).toEqual([400, 'message_format.template']);
  });

  test('a Slack message in the detailed template states which SLA target is at risk or breached', async () => {
    const [tenant, slack] = [await platform.organization(), await slackServer()];
    const { id } = await withSlack(tenant, slack, { events: ['sla.*'], message_format: { template: 'detailed' } });
    await openTicket(tenant, { priority: 'critical' });
    await platform.advance(12 * MINUTE_MS);
    const atRisk = await eventually(() => slack.posted[0]);
    expect(atRisk.section).toMatch(/^\*Service level at risk\*\n/);
    expect(atRisk.section).toMatch(/\nSLA: response_time within 15 minutes, due 20\d\d-\S+Z$/);
    // wait, because an attempt that is running when the clock is advanced would lose its lease and be repeated
    await allSettled(id, 1);
    await platform.advance(4 * MINUTE_MS);
    const breached = await eventually(() => slack.posted[1]);
    expect(breached.section).toMatch(/^\*Service level breached\*\n/);
    expect(breached.section).toMatch(/\nSLA: response_time within 15 minutes, due /);
  });
});

test('a Slack test message contains an example in the format of the integration', async () => {
  const [tenant, slack] = [await platform.organization(), await slackServer()];
  const { id } = await withSlack(tenant, slack, { message_format: { template: 'compact' } });
  const { body } = await tenant.rest('POST', `/support/integrations/slack/${id}/test`);
  expect(body.data).toMatchObject({ succeeded: true, error: null });
  const [posted] = slack.posted;
  expect(posted?.section).toContain('This is a test message');
  expect(posted?.body.blocks[1].text.text).toMatch(
    /^New ticket: <http\S+\/console\/tickets\/ticket_\w+\|TKT-1042> Internet connection is down \(high, open\)$/,
  );
});
