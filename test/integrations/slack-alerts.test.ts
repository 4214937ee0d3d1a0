import { beforeAll, describe, expect, test } from 'vitest';
import { createAlert, eventsThat, measured, pass } from '../alerts.setup.ts';
import { openIncident } from '../incidents.setup.ts';
import { send } from '../metrics.setup.ts';
import { eventually, type Rig, rig } from '../rig.ts';
import { jiraServer } from '../support/jira.server.ts';
import { freshEmail } from '../support/record-kinds.ts';
import { type SlackServer, slackServer } from '../support/slack.server.ts';
import type { Json } from '../tenant.ts';
import { allSettled, deliveryRows, openTicket, withJira, withSlack } from './integrations.setup.ts';

const SLACK = '/support/integrations/slack';

let platform: Rig;
beforeAll(async () => {
  platform = await rig();
});

const sections = ({ posted }: SlackServer): string[] => posted.map(({ section }) => section);
const posted = (slack: SlackServer, count: number): Promise<string[]> => eventually(() => slack.posted.length >= count && sections(slack));

describe('Slack messages about alerts', () => {
  test('an alert that fires, is repeated and is resolved is posted with its value, limit, labels and times', async () => {
    const [tenant, slack] = [await platform.organization(), await slackServer()];
    await withSlack(tenant, slack, { events: ['alert.*'], message_format: { template: 'compact' }, filters: { priorities: ['critical'] } });
    const settings = {
      severity: 'critical',
      labels: ['role=db'],
      group_by: ['host'],
      repeat_every_seconds: 300,
      description: 'Add a host.',
    };
    const { id } = await createAlert(tenant, settings);
    const labels = { role: 'db', host: 'a' };
    await measured(tenant, id, 11, { labels });
    const [firing] = await posted(slack, 1);
    const [{ instance }] = await eventsThat(tenant, id, 'alert.firing', 1);
    const facts = (state: string, value: number, since: string): string =>
      `Severity: critical   State: ${state}\nlast of load: ${value}\nLimit: above 10, in 300 seconds\nLabels: host=a, role=db\nSince: ${since}`;
    expect(firing).toBe(`*Alert firing: High load*\n${facts('firing', 11, instance.since)}\nAdd a host.`);
    expect(slack.posted[0]?.body.text).toBe('Alert firing: High load');
    expect(slack.posted[0]?.body.blocks).toHaveLength(1);
    for (let minute = 0; minute < 5; minute += 1) await measured(tenant, id, 12, { labels });
    const [, repeated] = await posted(slack, 2);
    expect(repeated).toBe(`*Alert still firing (repeated): High load*\n${facts('firing', 12, instance.since)}\nAdd a host.`);
    await measured(tenant, id, 4, { labels });
    const [, , resolved] = await posted(slack, 3);
    const [{ instance: ended }] = await eventsThat(tenant, id, 'alert.resolved', 1);
    expect(resolved).toBe(`*Alert resolved: High load*\n${facts('ok', 4, ended.since)}`);
  });

  test('the labels of an alert are sorted by name in each Slack message and mail', async () => {
    const [tenant, slack] = [await platform.organization(), await slackServer()];
    await withSlack(tenant, slack, { events: ['alert.*'] });
    const to = freshEmail();
    const { id } = await createAlert(tenant, { group_by: ['host', 'z'], notify: [to] });
    const labels = { host: 'a', z: 'b' };
    for (const value of [11, 4, 12]) await measured(tenant, id, value, { labels });
    for (const message of await posted(slack, 3)) expect(message).toContain('\nLabels: host=a, z=b\n');
    await eventually(() => platform.mails.filter((mail) => mail.to === to).length === 3);
    const texts = platform.mails.filter((mail) => mail.to === to).map(({ text }) => text);
    expect(texts.filter((text) => text.includes('Value of host=a, z=b: '))).toHaveLength(3);
  });

  test('a value that is a change is posted in percent, and the end of a deleted alert with its reason', async () => {
    const [tenant, slack] = [await platform.organization(), await slackServer()];
    await withSlack(tenant, slack, { events: ['monitoring.alert.*'] });
    await send(tenant, 'load', [[9 * 60_000, 10]]);
    await send(tenant, 'load', [[2 * 60_000, 20]]);
    const { id } = await createAlert(tenant, { condition: 'change_above', threshold: 50 });
    await pass(tenant, id);
    expect((await posted(slack, 1))[0]).toContain('last of load: 100 percent\nLimit: change above 50 percent, in 300 seconds\nSince: ');
    await tenant.rest('DELETE', `/monitoring/alerts/${id}`);
    expect((await posted(slack, 2))[1]).toContain('\nReason: deleted\n');
  });

  test('an alert is not posted during its silence', async () => {
    const [tenant, slack] = [await platform.organization(), await slackServer()];
    const { id: integration } = await withSlack(tenant, slack, { events: ['monitoring.*'] });
    const { id } = await createAlert(tenant);
    const until = new Date(platform.clock.now().getTime() + 3_600_000);
    await tenant.rest('POST', `/monitoring/alerts/${id}/silence`, { body: { until } });
    await measured(tenant, id, 11);
    await eventually(async () => (await eventsThat(tenant, id, 'alert.updated', 2)).length);
    await openIncident(tenant, { title: 'The last' });
    await posted(slack, 1);
    expect((await deliveryRows(integration)).map(({ event }) => event)).toEqual(['incident.opened']);
  });

  test('names, labels and descriptions of an alert are escaped, kept on one line and shortened', async () => {
    const [tenant, slack] = [await platform.organization(), await slackServer()];
    await withSlack(tenant, slack, { events: ['alert.firing'] });
    const host = `<!channel> & \nSeverity: info ${'&'.repeat(200)}`;
    const more = { name: '<!here> & <https://evil.example.com|x>', group_by: ['host', 'z'], description: `${'<'.repeat(1999)}.` };
    const { id } = await createAlert(tenant, more);
    await measured(tenant, id, 11, { labels: { host, z: '&'.repeat(250) } });
    const [section = ''] = await posted(slack, 1);
    expect(section).toContain('*Alert firing: &lt;!here&gt; &amp; &lt;https://evil.example.com|x&gt;*');
    expect(section).toContain('\nLabels: host=&lt;!channel&gt; &amp; Severity: info &amp;');
    expect(section).toMatch(/\nSince: 20/);
    expect(section.length).toBeLessThanOrEqual(3000);
    expect(section.replace(/&(amp|lt|gt);/g, '')).not.toMatch(/[&<>]/);
    expect(slack.posted[0]?.body.text).toBe('Alert firing: &lt;!here&gt; &amp; &lt;https://evil.example.com|x&gt;');
  });
});

describe('Slack messages about incidents', () => {
  test('an incident is posted when it is opened, updated and resolved, with its newest update', async () => {
    const [tenant, slack] = [await platform.organization(), await slackServer()];
    await withSlack(tenant, slack, { events: ['incident.*'] });
    const incident = await openIncident(tenant, { severity: 'major', message: 'We look <into> it.' });
    await posted(slack, 1);
    // One message is awaited before the next: they are sent in no certain order.
    const changes = [{ status: 'identified', message: 'A cut fiber.' }, { severity: 'minor' }, { status: 'resolved', message: 'Mended.' }];
    for (const [index, body] of changes.entries()) {
      await tenant.rest('PUT', `/monitoring/incidents/${incident.id}`, { body });
      await posted(slack, index + 2);
    }
    const text = (what: string, status: string, severity: string, message: string): string =>
      `*Incident ${what}: ${incident.number} Slow lines*\nStatus: ${status}   Severity: ${severity}   Services: 0\nSince: ${incident.started_at}${message}`;
    expect(await posted(slack, 4)).toEqual([
      text('opened', 'investigating', 'major', '\nWe look &lt;into&gt; it.'),
      text('updated', 'identified', 'major', '\nA cut fiber.'),
      text('updated', 'identified', 'minor', ''),
      text('resolved', 'resolved', 'minor', '\nMended.'),
    ]);
    expect(slack.posted[0]?.body).toMatchObject({ text: `Incident opened: ${incident.number} Slow lines`, channel: '#support' });
  });
});

describe('the events of a Slack integration', () => {
  test('`*` and `support.*` select no alerts and incidents, and Jira gets none', async () => {
    const [tenant, slack, both, jira] = [await platform.organization(), await slackServer(), await slackServer(), await jiraServer()];
    const every = await withSlack(tenant, slack, { events: ['*', 'support.*'] });
    const named = await withSlack(tenant, both, { events: ['incident.opened', 'ticket.created'] });
    const issues = await withJira(tenant, jira);
    const { id } = await createAlert(tenant);
    await measured(tenant, id, 11);
    await eventsThat(tenant, id, 'alert.firing', 1);
    await openIncident(tenant);
    await openTicket(tenant);
    await allSettled(named.id, 2);
    await allSettled(issues.id, 1);
    await allSettled(every.id, 1);
    // Events are delivered in no certain order.
    const events = async (of: Json) => (await deliveryRows(of.id)).map(({ event }) => event).toSorted();
    expect(await events(every)).toEqual(['ticket.created']);
    expect(await events(named)).toEqual(['incident.opened', 'ticket.created']);
    expect(await events(issues)).toEqual(['ticket.created']);
  });

  test('alerts and incidents of another organization are not posted', async () => {
    const [tenant, stranger, slack] = [await platform.organization(), await platform.organization(), await slackServer()];
    const { id } = await withSlack(tenant, slack, { events: ['monitoring.*'] });
    await openIncident(stranger, { title: 'Theirs' });
    await openIncident(tenant, { title: 'Ours' });
    await allSettled(id, 1);
    expect(sections(slack)).toEqual([expect.stringContaining('Ours')]);
  });

  test('a caller without monitoring:read cannot select alerts and incidents, or send them elsewhere', async () => {
    const [tenant, slack] = [await platform.organization(), await slackServer()];
    const desk = await tenant.limitedTo('support:admin');
    const body = { webhook_url: slack.url, channel: '#noc', events: ['ticket.*', 'alert.*'] };
    const refusal = (pattern: string) => ({
      code: 'INSUFFICIENT_PERMISSIONS',
      message: `The events ${pattern} need the permission monitoring:read.`,
      details: { required: 'monitoring:read', pattern },
    });
    const refused = await desk.rest('POST', SLACK, { body });
    expect([refused.status, refused.body.error]).toMatchObject([403, refusal('alert.*')]);
    const { id } = (await desk.rest('POST', SLACK, { body: { ...body, events: ['*'] } })).body.data;
    const update = async (by: typeof desk, change: object) => (await by.rest('PUT', `${SLACK}/${id}`, { body: change })).body;
    expect((await update(desk, { events: ['incident.opened'] })).error).toMatchObject(refusal('incident.opened'));
    expect((await update(desk, { events: ['ticket.*'], channel: '#desk' })).data).toMatchObject({ events: ['ticket.*'] });
    const whole = await tenant.limitedTo('support:admin', 'monitoring:read');
    expect((await update(whole, { events: ['monitoring.*'] })).data).toMatchObject({ events: ['monitoring.*'] });
    for (const change of [{ events: ['ticket.*'] }, { channel: '#else' }, { webhook_url: `${slack.url}x` }])
      expect((await update(desk, change)).error, JSON.stringify(change)).toMatchObject(refusal('monitoring.*'));
    expect((await update(desk, { active: false, message_format: null })).data).toMatchObject({ active: false, channel: '#desk' });
    expect((await desk.rest('DELETE', `${SLACK}/${id}`)).status).toBe(200);
  });

  test.each(['alert.updated', 'alert.exploded', 'monitoring.ticket.*', 'service.*'])(
    'the pattern %s is refused with the names of the known events',
    async (pattern) => {
      const tenant = await platform.organization();
      const body = { webhook_url: 'https://hooks.slack.com/services/T000/B000/walk', channel: '#noc', events: ['alert.*', pattern] };
      const { status, body: refused } = await tenant.rest('POST', SLACK, { body });
      expect([status, refused.error.details]).toMatchObject([400, { field: 'events.1', value: pattern }]);
      expect(refused.error.details.reason).toMatch(/support family, and none of alert\.firing, alert\.resolved, incident\.opened/);
    },
  );

  test.each([
    ['alert.resolved', '*Alert firing: High latency*', 'monitoring'],
    ['incident.*', '*Incident opened: INC-1001 Outage in New York, NY*', 'monitoring'],
    ['monitoring.*', '*Alert firing: High latency*', 'monitoring'],
    ['*', '*New ticket*', 'support desk'],
  ])('the test message of an integration with %s begins with %s', async (pattern, title, sender) => {
    const [tenant, slack] = [await platform.organization(), await slackServer()];
    const { id } = await withSlack(tenant, slack, { events: [pattern] });
    expect((await tenant.rest('POST', `${SLACK}/${id}/test`)).body.data.succeeded).toBe(true);
    expect(slack.posted[0]?.section).toContain(`This is a test message of your ${sender} at `);
    expect(slack.posted[0]?.body.blocks[1].text.text.startsWith(`${title}\n`)).toBe(true);
  });
});
