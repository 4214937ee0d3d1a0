import { beforeAll, expect, test } from 'vitest';
import { eventually, type Rig, rig } from '../rig.ts';
import { API_TOKEN, jiraServer } from '../support/jira.server.ts';
import { slackServer } from '../support/slack.server.ts';
import type { Tenant } from '../tenant.ts';
import { invited, userOf } from '../users.setup.ts';
import { openTicket, settled, withJira, withSlack } from './integrations.setup.ts';

let platform: Rig;
beforeAll(async () => {
  platform = await rig();
});

const administered = async (): Promise<{ tenant: Tenant; notified: string[]; others: string[] }> => {
  const tenant = await platform.organization();
  const notified = [await userOf(tenant, 'owner'), await userOf(tenant, 'admin')];
  const others = [await userOf(tenant, 'support'), await invited(tenant, 'owner')];
  return { tenant, notified: notified.map(({ email }) => email), others: others.map(({ email }) => email) };
};
const mailsTo = (email: string) => platform.mails.filter(({ to, subject }) => to === email && subject.includes('integration'));

test("active owners and administrators receive one email without the webhook URL when Slack's response disables an integration", async () => {
  const [{ tenant, notified, others }, slack] = [await administered(), await slackServer()];
  const { id } = await withSlack(tenant, slack);
  slack.next([410, 'channel_is_archived']);
  await openTicket(tenant);
  await eventually(() => notified.every((email) => mailsTo(email).length > 0));
  const [mail] = mailsTo(notified[0] ?? '');
  expect(mail?.subject).toBe('The integration with Slack was disabled');
  for (const part of ['#support', id, 'channel_is_archived', `PUT ${platform.origin}/v1/support/integrations/slack/${id}`])
    expect(mail?.text).toContain(part);
  expect(mail?.text).not.toContain(new URL(slack.url).pathname);
  expect([...notified, ...others].map((email) => mailsTo(email).length)).toEqual([1, 1, 0, 0]);
});

test("active owners and administrators receive one email with Jira's last error when an integration fails for five days", async () => {
  const [{ tenant, notified }, jira] = [await administered(), await jiraServer()];
  const { id } = await withJira(tenant, jira);
  jira.next('POST /rest/api/3/issue', [503, { errorMessages: ['Try later.'] }], [503, { errorMessages: ['Try later.'] }]);
  await openTicket(tenant);
  await settled(tenant, 'jira', id, (one) => one.failing_since);
  await platform.advance(5 * 86_400_000);
  const [mail] = await eventually(() => mailsTo(notified[0] ?? '').length > 0 && mailsTo(notified[0] ?? ''));
  expect(mail?.subject).toBe('The integration with Jira was disabled');
  expect(mail?.text).toContain(`SUP at ${jira.url}`);
  expect(mail?.text).toContain('every attempt has failed for five days. The last error was: “Jira answered 503: Try later.”');
  expect(mail?.text).not.toContain(API_TOKEN);
});
