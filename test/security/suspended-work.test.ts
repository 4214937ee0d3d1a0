import { beforeAll, describe, expect, test } from 'vitest';
import { Principal } from '../../kernel/access/principal.ts';
import { createLogger } from '../../kernel/log/log.ts';
import { newId } from '../../kernel/records/ids.ts';
import { createAccount } from '../billing.setup.ts';
import { deliveryRows, openTicket, withSlack } from '../integrations/integrations.setup.ts';
import { operator } from '../operator.setup.ts';
import { completeRequest, inDays, requested, requestThatIs } from '../provisioning.setup.ts';
import { makeRule } from '../rest/routing.setup.ts';
import { eventually, type Rig, rig } from '../rig.ts';
import { serviceThatIs } from '../services.setup.ts';
import { slackServer } from '../support/slack.server.ts';
import { rows } from '../support/tables.ts';
import type { Json, Tenant } from '../tenant.ts';
import { PASSWORD, tokenMailedTo, userOf } from '../users.setup.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

let platform: Rig;
let by: Tenant;
beforeAll(async () => {
  platform = await rig();
  by = await operator();
});

/** Suspends or resumes the organization and waits until this process has read the new status. */
const suspended = (tenant: Tenant, is: boolean): Promise<void> => stopped(tenant, is, 'suspend');
const closed = (tenant: Tenant, is: boolean): Promise<void> => stopped(tenant, is, 'close');

async function stopped({ organizationId }: Tenant, is: boolean, how: 'suspend' | 'close'): Promise<void> {
  const response = await by.rest('POST', `/operator/organizations/${organizationId}/${is ? how : 'resume'}`);
  expect(response.status, JSON.stringify(response.body)).toBe(200);
  const { organizationStatus } = platform.assembly.domains.identity.core;
  await eventually(async () => (await organizationStatus.isSuspended(organizationId)) === is);
}

/** Runs an operation as the platform itself, which a suspension does not affect. */
async function inside({ organizationId }: Tenant, document: string, variables: Json = {}): Promise<Json> {
  const context = {
    requestId: newId('request'),
    principal: Principal.system('test', organizationId),
    log: createLogger({ level: 'silent' }),
  };
  const { data, errors } = await platform.assembly.router.execute({ document, variables, context });
  expect(errors).toBeUndefined();
  return data as Json;
}

/** Returns the number of the organization's jobs that the queue has postponed. */
const postponed = async (queue: string, { organizationId }: Tenant): Promise<number> => {
  const [row] = await (await rows()).query<{ count: number }>(
    `select count(*)::int as count from pgboss.job where name = $1 and data ->> 'organizationId' = $2 and start_after > created_on + interval '30 seconds'
       and state = 'created'`,
    [queue, organizationId],
  );
  return row?.count ?? 0;
};
const isPostponed = (queue: string, tenant: Tenant) => eventually(() => postponed(queue, tenant));

describe('background work of a suspended organization', () => {
  test('scheduled provisioning of a suspended organization stays pending and starts when the organization is resumed', async () => {
    const tenant = await platform.organization({ plan: 'custom' });
    const { id: accountId } = await createAccount(tenant);
    const schedule = { preferred_date: inDays(1) };
    const { id } = await requested(tenant, completeRequest(accountId, { deployment_schedule: schedule }));
    await suspended(tenant, true);
    await platform.advance(DAY_MS + MINUTE_MS);
    await isPostponed('services.provisioning-request', tenant);
    const found = await inside(tenant, 'query ($id: ID!) { provisioningRequest(id: $id) { status serviceId } }', { id });
    expect(found.provisioningRequest).toEqual({ status: 'PENDING', serviceId: null });
    await suspended(tenant, false);
    await platform.advance(MINUTE_MS);
    await requestThatIs('completed', tenant, id);
  });

  test('a scheduled decommission waits while its organization is suspended, and begins when the organization is resumed', async () => {
    const tenant = await platform.organization({ plan: 'custom' });
    const { id: accountId } = await createAccount(tenant);
    const { id } = await serviceThatIs('operational', tenant, accountId);
    const decommission_date = new Date(platform.clock.now().getTime() + DAY_MS).toISOString();
    await tenant.rest('POST', `/services/${id}/decommission`, { body: { decommission_date } });
    await suspended(tenant, true);
    await platform.advance(DAY_MS + 1_000);
    const change = async () =>
      (await (await rows()).query<Json>('select "status", "due_at" from "services"."service_change" where "service_id" = $1', [id]))[0];
    // the sweeper has postponed the change
    await eventually(async () => new Date((await change()).due_at) > platform.clock.now());
    expect((await change()).status).toBe('acknowledged');
    await suspended(tenant, false);
    await platform.advance(MINUTE_MS);
    await eventually(async () => (await change()).status === 'completed');
  });

  test('provisioning that started before the suspension of its organization is completed', async () => {
    const tenant = await platform.organization({ plan: 'custom' });
    const { id: accountId } = await createAccount(tenant);
    const { id } = await requested(tenant, completeRequest(accountId));
    await suspended(tenant, true);
    const document = 'query ($id: ID!) { provisioningRequest(id: $id) { status } }';
    await eventually(async () => (await inside(tenant, document, { id })).provisioningRequest.status === 'COMPLETED');
  });

  test('reports of a suspended organization stay GENERATING and become READY when the organization is resumed', async () => {
    const tenant = await platform.organization({ plan: 'custom' });
    await suspended(tenant, true);
    const { generateSupportReport: report } = await inside(
      tenant,
      'mutation { generateSupportReport(input: { reportType: "usage" }) { id status } }',
    );
    await isPostponed('support.report', tenant);
    const read = async (): Promise<string> =>
      (await inside(tenant, 'query ($id: ID!) { supportReport(id: $id) { status } }', { id: report.id })).supportReport.status;
    expect(await read()).toBe('GENERATING');
    await suspended(tenant, false);
    await platform.advance(MINUTE_MS);
    await eventually(async () => (await read()) === 'READY');
  });

  test('service level clocks continue while an organization is suspended, and escalations by routing rules wait', async () => {
    const tenant = await platform.organization({ plan: 'custom' });
    await makeRule(tenant, { rule_name: 'Quick', actions: { escalate_after: '30_minutes' } });
    const { id } = await openTicket(tenant, { priority: 'critical' });
    const document = 'query ($id: ID!) { ticket(id: $id) { sla { escalationReason response { status } } } }';
    const read = async (): Promise<Json> => (await inside(tenant, document, { id })).ticket.sla;
    await suspended(tenant, true);
    await platform.advance(7 * DAY_MS);
    await eventually(async () => (await read()).response.status === 'BREACHED');
    const due = 'select 1 from support.ticket_automation where ticket_id = $1 and due_at > $2';
    await eventually(async () => (await (await rows()).query(due, [id, platform.clock.now()])).length === 1);
    expect((await read()).escalationReason).not.toBe('Not resolved within 30 minutes');
    await suspended(tenant, false);
    await platform.advance(MINUTE_MS);
    await eventually(async () => (await read()).escalationReason === 'Not resolved within 30 minutes');
  });

  test('emails about tickets and to administrators wait during a suspension, but login codes are sent', async () => {
    const tenant = await platform.organization({ plan: 'custom' });
    const administrator = await userOf(tenant);
    const ticket = await openTicket(tenant);
    const address = `${newId('user').toLowerCase()}@example.com`;
    const mailsTo = (to: string) => platform.mails.filter((mail) => mail.to === to).map(({ subject }) => subject);
    const before = mailsTo(administrator.email).length;
    await suspended(tenant, true);
    await inside(
      tenant,
      'mutation ($id: ID!, $to: String!) { escalateTicket(id: $id, input: { escalationLevel: 1, notify: [$to] }) { id } }',
      { id: ticket.id, to: address },
    );
    await isPostponed('support.notify', tenant);
    const { mails, ports } = platform.assembly.domains.identity.core;
    const { organizationId } = tenant;
    const { email: to } = administrator;
    const mail = (subject: string) => ({ to, subject, text: subject });
    await ports.orm.em.fork().transactional(async (tx) => {
      await mails.enqueue(tx, mail('Your webhook is disabled'), { organizationId });
      await mails.enqueue(tx, mail('Your code'));
    });
    await isPostponed('identity.mail', tenant);
    await eventually(() => mailsTo(to).length === before + 1);
    expect([mailsTo(to).at(-1), mailsTo(address)]).toEqual(['Your code', []]);
    await suspended(tenant, false);
    await platform.advance(MINUTE_MS);
    await eventually(() => mailsTo(address).length === 1 && mailsTo(to).at(-1) === 'Your webhook is disabled');
  });

  test('invitation emails wait until the suspension of their organization ends, but requested password reset emails are sent', async () => {
    const tenant = await platform.organization({ plan: 'custom' });
    const { id: accountId } = await createAccount(tenant);
    const mailsTo = (email: string) => platform.mails.filter((mail) => mail.to === email && /token=/.test(mail.text));
    await suspended(tenant, true);
    const document = `mutation ($accountId: ID!, $email: String!) {
      inviteUser(accountId: $accountId, input: { email: $email, name: "Grace", role: MEMBER }) { id } }`;
    const [email, resetting] = [1, 2].map(() => `${newId('user').toLowerCase()}@example.com`) as [string, string];
    for (const one of [email, resetting]) await inside(tenant, document, { accountId, email: one });
    await eventually(async () => (await postponed('identity.invitation', tenant)) === 2);
    expect((await tenant.rest('POST', '/auth/password/reset', { body: { email: resetting }, headers: { authorization: '' } })).status).toBe(
      202,
    );
    await eventually(() => mailsTo(resetting).length === 1);
    await platform.advance(8 * DAY_MS);
    expect(mailsTo(email)).toEqual([]);
    await suspended(tenant, false);
    await platform.advance(MINUTE_MS);
    const token = await tokenMailedTo(email);
    const chosen = await tenant.rest('POST', '/auth/password', { body: { token, password: PASSWORD }, headers: { authorization: '' } });
    expect(chosen.status, JSON.stringify(chosen.body)).toBe(200);
  });

  test('Slack messages of a suspended organization wait beyond their expiry of one day, and one job waits for all of them', async () => {
    const slack = await slackServer();
    const tenant = await platform.organization({ plan: 'custom' });
    const { id } = await withSlack(tenant, slack, { events: ['ticket.created'] });
    await suspended(tenant, true);
    for (const title of ['First', 'Second', 'Third'])
      await inside(tenant, 'mutation ($title: String!) { createTicket(input: { title: $title, description: "Since 9:30." }) { id } }', {
        title,
      });
    await eventually(async () => (await deliveryRows(id)).length === 3);
    for (const _ of [1, 2, 3]) await platform.advance(DAY_MS);
    await eventually(async () => (await waitingJobs()) === 1);
    await suspended(tenant, false);
    await platform.advance(MINUTE_MS);
    await eventually(() => slack.posted.length === 3);
    await eventually(async () => (await deliveryRows(id)).every(({ status }) => status === 'delivered'));

    async function waitingJobs(): Promise<number> {
      const [row] = await (await rows()).query<{ count: number }>(
        `select count(*)::int as count from pgboss.job where name = 'support.slack' and data ->> 'integrationId' = $1 and state < 'active'`,
        [id],
      );
      return row?.count ?? 0;
    }
  });
});

test('tickets of a closed organization get no service level milestones or escalations until the organization is resumed', async () => {
  const tenant = await platform.organization({ plan: 'custom' });
  await makeRule(tenant, { rule_name: 'Quick', actions: { escalate_after: '30_minutes' } });
  const { id } = await openTicket(tenant, { priority: 'critical' });
  const find = async (text: string, ...values: unknown[]): Promise<object[]> => (await rows()).query(text, [id, ...values]);
  const milestones = () => find('select 1 from support.sla_milestone where ticket_id = $1');
  const escalated = () => find('select 1 from support.escalation where ticket_id = $1');
  await closed(tenant, true);
  await platform.advance(7 * DAY_MS);
  for (const due of [
    'select 1 from support.ticket where id = $1 and sla_due_at > $2',
    'select 1 from support.ticket_automation where ticket_id = $1 and due_at > $2',
  ])
    await eventually(async () => (await find(due, platform.clock.now())).length === 1);
  expect([await milestones(), await escalated()]).toEqual([[], []]);
  await closed(tenant, false);
  await platform.advance(60 * MINUTE_MS);
  await eventually(async () => (await milestones()).length > 0 && (await escalated()).length > 0);
});
