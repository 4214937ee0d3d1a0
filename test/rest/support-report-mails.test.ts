import { beforeAll, expect, test } from 'vitest';
import { MailRejected } from '../../kernel/messages/mail.ts';
import { newId } from '../../kernel/records/ids.ts';
import { eventually, type Rig, rig } from '../rig.ts';
import { rows } from '../support/tables.ts';
import type { Json, Tenant } from '../tenant.ts';

const HOUR_MS = 3_600_000;

let platform: Rig;
let tenant: Tenant;
beforeAll(async () => {
  platform = await rig();
  tenant = await platform.organization({ plan: 'custom' });
});

const freshEmail = (): string => `${newId('user').toLowerCase()}@example.com`;
const mailsTo = (email: string) => platform.mails.filter(({ to }) => to === email);

/** Requests a report with an email notification, and returns its id. */
async function reportFor(email: string): Promise<string> {
  const body = { report_type: 'usage', delivery: { method: 'download', notification_email: email } };
  const response = await tenant.rest('POST', '/support/reports/generate', { body });
  expect(response.body.report).toMatchObject({ delivery: { notification_email: email }, notification: null });
  return response.body.report.id;
}
/** Waits until the email notification of a report meets a condition, and returns it. */
const notified = (id: string, isSo: (notification: Json) => unknown): Promise<Json> =>
  eventually(async () => {
    const { notification } = (await tenant.rest('GET', `/support/reports/${id}`)).body.report;
    return notification && isSo(notification) && notification;
  });

test('a report email is in the list of sent notifications, and the report contains the delivery result of the email', async () => {
  const email = freshEmail();
  const id = await reportFor(email);
  expect(await notified(id, ({ status }) => status === 'sent')).toEqual({
    status: 'sent',
    simulated: false,
    attempts: 1,
    last_error: null,
    sent_at: expect.any(String),
  });
  const [mail] = mailsTo(email);
  expect(mail).toMatchObject({ subject: 'Your report usage is ready', html: expect.stringContaining('Download the report') });
  expect(mail?.thread).toBeUndefined();
  const { data } = (await tenant.rest('GET', '/support/notifications/sent')).body;
  expect(data.filter((one: Json) => one.email === email)).toMatchObject([
    { ticket_id: null, status: 'sent', subject: mail?.subject, text: mail?.text },
  ]);
  const query = 'query ($id: ID!) { supportReport(id: $id) { notification { status attempts } } }';
  expect((await tenant.graphql(query, { id })).data.supportReport.notification).toEqual({ status: 'SENT', attempts: 1 });
});

test('a report email that the mail server permanently rejects has the status failed and is not retried', async () => {
  const email = freshEmail();
  platform.mailFailures.set(email, [new MailRejected('550 5.1.1 No such mailbox')]);
  const id = await reportFor(email);
  const failed = await notified(id, ({ status }) => status === 'failed');
  expect(failed).toMatchObject({ attempts: 1, last_error: expect.stringContaining('No such mailbox'), sent_at: null });
  await platform.advance(HOUR_MS);
  const other = freshEmail();
  await notified(await reportFor(other), ({ status }) => status === 'sent');
  expect(mailsTo(email)).toEqual([]);
});

test('a report email is retried after a temporary failure, and an email that is sent twice has the same Message-ID', async () => {
  const email = freshEmail();
  platform.mailFailures.set(email, [new Error('connect ECONNREFUSED 10.0.0.7:25')]);
  const id = await reportFor(email);
  const waiting = await notified(id, ({ last_error }) => last_error);
  expect(waiting).toMatchObject({ status: 'queued', attempts: 1, last_error: expect.stringContaining('could not be reached') });
  await isToRetry(email);
  await platform.advance(HOUR_MS);
  await notified(id, ({ status }) => status === 'sent');

  // simulates a process that crashed after it sent the email and before it recorded this
  const table = await rows();
  await table.query(`update support.notification_recipient set status = 'queued' where address = $1`, [email]);
  await table.query(
    `update pgboss.job set state = 'retry', completed_on = null, start_after = pgboss.job_now() where name = 'support.notify'
       and data->>'recipientId' = (select id from support.notification_recipient where address = $1)`,
    [email],
  );
  await platform.advance(1000);
  await eventually(() => mailsTo(email).length === 2);
  expect(new Set(mailsTo(email).map(({ messageId }) => messageId)).size).toBe(1);
  expect(mailsTo(email)[0]?.messageId).toMatch(/^nrec_\w+@/);
});

/** Waits until a new attempt to send the email to this address is scheduled. */
const isToRetry = (email: string): Promise<unknown> =>
  eventually(async () => {
    const waiting = `select 1 from support.notification_recipient r, pgboss.job j where r.address = $1
      and j.name = 'support.notify' and j.data->>'recipientId' = r.id and j.state = 'retry'`;
    return (await (await rows()).query(waiting, [email])).length > 0;
  });
