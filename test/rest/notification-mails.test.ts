import { beforeAll, describe, expect, test } from 'vitest';
import { MailRejected } from '../../kernel/messages/mail.ts';
import { TEMPLATE_NAMES } from '../../subgraphs/support/notifications/notification-templates.ts';
import { eventually, type Rig, rig } from '../rig.ts';
import { rows } from '../support/tables.ts';
import type { RestResponse, Tenant } from '../tenant.ts';
import { openTicket } from '../ticket.setup.ts';
import { emailTo, freshEmail, HOUR_MS, mailTo, notify, settled } from './notification.setup.ts';

let platform: Rig;
let tenant: Tenant;
beforeAll(async () => {
  platform = await rig();
  tenant = await platform.organization({ plan: 'custom' });
});

/** Waits until the first recipient has had `attempts` attempts and its next attempt is scheduled. */
const waitsAfter = (attempts: number, { body }: RestResponse): Promise<unknown> =>
  eventually(async () => {
    const { id } = body.data.recipients[0];
    const waiting = `select 1 from support.notification_recipient r, pgboss.job j where r.id = $1 and r.attempts = $2
      and j.name = 'support.notify' and j.data->>'recipientId' = r.id and j.state = 'retry'`;
    return (await (await rows()).query(waiting, [id, attempts])).length > 0;
  });

describe('notification emails', () => {
  test('a notification email is sent once to each address, greets the recipient by name, and its delivery result is stored', async () => {
    const ticket = await openTicket(tenant, { priority: 'high' });
    const [ada, bob] = [freshEmail(), freshEmail()];
    const recipients = [
      { email: ada, name: 'Ada Diaz', role: 'it_manager' },
      { email: bob },
      { email: ada.toUpperCase(), name: 'Ada again' },
    ];
    const response = await notify(tenant, ticket, { type: 'email', recipients, template: 'ticket_update', variables: { eta: '2 hours' } });
    expect(response.status, JSON.stringify(response.body)).toBe(201);
    expect(response.body.data).toMatchObject({
      id: expect.stringMatching(/^ntf_/),
      ticket_id: ticket.id,
      type: 'email',
      template: 'ticket_update',
      recipients: [
        { email: ada, phone: null, name: 'Ada Diaz', role: 'it_manager' },
        { email: bob, name: null, role: null },
      ],
    });

    const mail = await mailTo(ada);
    expect(mail).toMatchObject({ toName: 'Ada Diaz', subject: `[${ticket.number}] Update: Line is down` });
    for (const part of ['Hello Ada Diaz,', ticket.number, 'Line is down', 'high', '2 hours', ticket.urls.customer_portal]) {
      expect(mail.text).toContain(part);
      expect(mail.html).toContain(part);
    }
    expect((await mailTo(bob)).text).toMatch(/^Hello,/);
    expect(await settled(tenant, ticket)).toMatchObject([
      { email: ada, status: 'sent', attempts: 1, last_error: null, simulated: false, sent_at: expect.any(String) },
      { email: bob, status: 'sent', attempts: 1 },
    ]);
    expect(platform.mails.filter(({ to }) => to.toLowerCase() === ada)).toHaveLength(1);
  });

  test('emails about the same ticket have the same thread id and different message ids', async () => {
    const ticket = await openTicket(tenant);
    const emails = [freshEmail(), freshEmail()];
    for (const email of emails) await notify(tenant, ticket, emailTo(email));
    const [first, second] = await Promise.all(emails.map(mailTo));
    expect(first?.thread).toContain(ticket.id);
    expect(second?.thread).toBe(first?.thread);
    expect(second?.messageId).not.toBe(first?.messageId);
  });

  test.each(TEMPLATE_NAMES)('the text and HTML parts of an email from the template %s have the same content', async (template) => {
    const ticket = await openTicket(tenant);
    const email = freshEmail();
    expect((await notify(tenant, ticket, emailTo(email, { template, variables: { message: 'We called you.' } }))).status).toBe(201);
    const { subject, text, html = '' } = await mailTo(email);
    expect(subject).toContain(ticket.number);
    expect(`${subject}${text}${html}`).not.toMatch(/\{\{|undefined|null|\[object/);
    const words = html
      .replace(/<[^>]+>/g, ' ')
      .split(/\s+/)
      .filter(Boolean);
    const missing = text
      .trim()
      .split(/\s+/)
      .filter((word) => !/^(https?:|[^:]*:$)/.test(word) && !words.includes(word));
    expect(missing).toEqual([]);
    expect(text).toContain('We called you.');
  });

  test('the subject of a notification email contains the values of its placeholders and no line breaks', async () => {
    const ticket = await openTicket(tenant, { title: 'Phones\r\nBcc: victim@example.com' });
    const email = freshEmail();
    await notify(
      tenant,
      ticket,
      emailTo(email, { subject: '{{ ticket.number }} {{ticket.title}}: {{eta}}', variables: { eta: '{{ticket.number}}' } }),
    );
    expect((await mailTo(email)).subject).toBe(`${ticket.number} Phones Bcc: victim@example.com: {{ticket.number}}`);
  });

  test('the HTML of a notification email escapes inserted values', async () => {
    const evil = `<script>alert('x')</script><img src=x onerror=alert(1)>"&{{constructor}}`;
    const ticket = await openTicket(tenant, { title: evil });
    const email = freshEmail();
    const recipients = [{ email, name: '<b>Ada</b>' }];
    const response = await notify(tenant, ticket, { type: 'email', recipients, variables: { message: evil, eta: evil } });
    expect(response.status, JSON.stringify(response.body)).toBe(201);
    const { text, html } = await mailTo(email);
    expect(html).not.toMatch(/<script|<img|<b>/);
    expect(
      html?.split('&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;&lt;img src=x onerror=alert(1)&gt;&quot;&amp;{{constructor}}'),
    ).toHaveLength(5);
    expect(text).toContain(`Eta: ${evil}`);
  });

  test('an email is retried after a temporary failure of the mail server, without sending to other recipients again', async () => {
    const ticket = await openTicket(tenant);
    const [away, fine] = [freshEmail(), freshEmail()];
    platform.mailFailures.set(away, [new Error('connect ECONNREFUSED 10.0.0.7:25'), new Error('450 busy')]);
    const response = await notify(tenant, ticket, { type: 'email', recipients: [{ email: away }, { email: fine }] });
    await mailTo(fine);
    await waitsAfter(1, response);
    const { body } = await tenant.rest('GET', `/support/tickets/${ticket.id}/notifications`);
    const [failed] = body.data[0].recipients;
    expect(failed).toMatchObject({ status: 'queued', last_error: expect.stringContaining('could not be reached'), sent_at: null });
    expect(failed.last_error).not.toContain('10.0.0.7');
    await platform.advance(HOUR_MS);
    await waitsAfter(2, response);
    await platform.advance(HOUR_MS);
    expect(await settled(tenant, ticket)).toMatchObject([
      { status: 'sent', attempts: 3, last_error: null },
      { status: 'sent', attempts: 1 },
    ]);
    expect(platform.mails.filter(({ to }) => to === away)).toHaveLength(1);
  });

  test('an email that the mail server permanently rejects has the status failed with the reason and is not retried', async () => {
    const ticket = await openTicket(tenant);
    const gone = freshEmail();
    platform.mailFailures.set(gone, [new MailRejected('550 5.1.1 No such mailbox')]);
    await notify(tenant, ticket, emailTo(gone));
    expect(await settled(tenant, ticket)).toMatchObject([
      { status: 'failed', attempts: 1, last_error: expect.stringContaining('No such mailbox') },
    ]);
    await platform.advance(HOUR_MS);
    await notify(tenant, ticket, emailTo(freshEmail()));
    await settled(tenant, ticket);
    expect(platform.mails.filter(({ to }) => to === gone)).toEqual([]);
  });

  test('an email has the status failed after ten failed attempts', async () => {
    const ticket = await openTicket(tenant);
    const never = freshEmail();
    platform.mailFailures.set(
      never,
      Array.from({ length: 20 }, () => new Error('busy')),
    );
    const response = await notify(tenant, ticket, emailTo(never));
    for (let attempt = 1; attempt < 10; attempt++) {
      await waitsAfter(attempt, response);
      await platform.advance(HOUR_MS);
    }
    expect(await settled(tenant, ticket)).toMatchObject([{ status: 'failed', attempts: 10 }]);
  });
});
