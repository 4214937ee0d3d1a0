import { beforeAll, describe, expect, test } from 'vitest';
import { newId } from '../../kernel/ids.ts';
import { type Mail, MailRejected } from '../../kernel/mail.ts';
import { TEMPLATE_NAMES } from '../../subgraphs/support/notifications/notification.templates.ts';
import { eventually, type Rig, rig } from '../rig.ts';
import { rows } from '../support/tables.ts';
import type { Answer, Json, Tenant } from '../tenant.ts';

const HOUR_MS = 3_600_000;

let platform: Rig;
let tenant: Tenant;
beforeAll(async () => {
  platform = await rig();
  tenant = await platform.organization({ plan: 'custom' });
});

const freshEmail = (): string => `${newId('user').toLowerCase()}@example.com`;
const open = async (body: object = {}, caller = tenant): Promise<Json> =>
  (await caller.rest('POST', '/support/tickets', { body: { title: 'Line is down', description: 'Since 9:30.', ...body } })).body.ticket;
const notify = (ticket: Json, body: object, caller = tenant): Promise<Answer> =>
  caller.rest('POST', `/support/tickets/${ticket.id}/notify`, { body });
const emailTo = (email: string, more: object = {}) => ({ type: 'email', recipients: [{ email }], template: 'ticket_update', ...more });
const mailTo = (email: string): Promise<Mail> => eventually(() => platform.mails.find(({ to }) => to === email));
/** What came of the newest notification of a ticket, once nothing of it is under way. */
const settled = (ticket: Json, caller = tenant): Promise<Json[]> =>
  eventually(async () => {
    const { body } = await caller.rest('GET', `/support/tickets/${ticket.id}/notifications`);
    const { recipients } = body.data[0];
    return recipients.every(({ status }: Json) => status !== 'queued') && recipients;
  });
/** After so many tries of the first recipient, when the next one waits for its time: moving the clock makes it due. */
const waitsAfter = (attempts: number, { body }: Answer): Promise<unknown> =>
  eventually(async () => {
    const { id } = body.data.recipients[0];
    const waiting = `select 1 from support.notification_recipient r, pgboss.job j where r.id = $1 and r.attempts = $2
      and j.name = 'support.notify' and j.data->>'recipientId' = r.id and j.state = 'retry'`;
    return (await (await rows()).query(waiting, [id, attempts])).length > 0;
  });
const problems = ({ status, body }: Answer): [number, string[]] => [status, body.error?.details.errors.map(({ field }: Json) => field)];

describe('an e-mail', () => {
  test('is sent to each recipient by name, and what came of it is kept', async () => {
    const ticket = await open({ priority: 'high' });
    const [ada, bob] = [freshEmail(), freshEmail()];
    const recipients = [
      { email: ada, name: 'Ada Diaz', role: 'it_manager' },
      { email: bob },
      { email: ada.toUpperCase(), name: 'Ada again' },
    ];
    const answer = await notify(ticket, { type: 'email', recipients, template: 'ticket_update', variables: { eta: '2 hours' } });
    expect(answer.status, JSON.stringify(answer.body)).toBe(201);
    expect(answer.body.data).toMatchObject({
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
    expect(await settled(ticket)).toMatchObject([
      { email: ada, status: 'sent', attempts: 1, last_error: null, simulated: false, sent_at: expect.any(String) },
      { email: bob, status: 'sent', attempts: 1 },
    ]);
    expect(platform.mails.filter(({ to }) => to.toLowerCase() === ada)).toHaveLength(1);
  });

  test('of one ticket stands in one conversation, each with an id of its own', async () => {
    const ticket = await open();
    const emails = [freshEmail(), freshEmail()];
    for (const email of emails) await notify(ticket, emailTo(email));
    const [first, second] = await Promise.all(emails.map(mailTo));
    expect(first?.thread).toContain(ticket.id);
    expect(second?.thread).toBe(first?.thread);
    expect(second?.messageId).not.toBe(first?.messageId);
  });

  test.each(TEMPLATE_NAMES)('by the template %s says the same in text and HTML', async (template) => {
    const ticket = await open();
    const email = freshEmail();
    expect((await notify(ticket, emailTo(email, { template, variables: { message: 'We called you.' } }))).status).toBe(201);
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

  test('has the subject that it was given, with its placeholders filled', async () => {
    const ticket = await open({ title: 'Phones\r\nBcc: victim@example.com' });
    const email = freshEmail();
    await notify(
      ticket,
      emailTo(email, { subject: '{{ ticket.number }} {{ticket.title}}: {{eta}}', variables: { eta: '{{ticket.number}}' } }),
    );
    expect((await mailTo(email)).subject).toBe(`${ticket.number} Phones Bcc: victim@example.com: {{ticket.number}}`);
  });

  test('shows what was put into it as text, whatever that is', async () => {
    const evil = `<script>alert('x')</script><img src=x onerror=alert(1)>"&{{constructor}}`;
    const ticket = await open({ title: evil });
    const email = freshEmail();
    const recipients = [{ email, name: '<b>Ada</b>' }];
    const answer = await notify(ticket, { type: 'email', recipients, variables: { message: evil, eta: evil } });
    expect(answer.status, JSON.stringify(answer.body)).toBe(201);
    const { text, html } = await mailTo(email);
    expect(html).not.toMatch(/<script|<img|<b>/);
    expect(
      html?.split('&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;&lt;img src=x onerror=alert(1)&gt;&quot;&amp;{{constructor}}'),
    ).toHaveLength(5);
    expect(text).toContain(`Eta: ${evil}`);
  });

  test('that the server cannot take is tried again, and its failures do not stop the others', async () => {
    const ticket = await open();
    const [away, fine] = [freshEmail(), freshEmail()];
    platform.mailFailures.set(away, [new Error('connect ECONNREFUSED 10.0.0.7:25'), new Error('450 busy')]);
    const answer = await notify(ticket, { type: 'email', recipients: [{ email: away }, { email: fine }] });
    await mailTo(fine);
    await waitsAfter(1, answer);
    const { body } = await tenant.rest('GET', `/support/tickets/${ticket.id}/notifications`);
    const [failed] = body.data[0].recipients;
    expect(failed).toMatchObject({ status: 'queued', last_error: expect.stringContaining('could not be reached'), sent_at: null });
    expect(failed.last_error).not.toContain('10.0.0.7');
    await platform.advance(HOUR_MS);
    await waitsAfter(2, answer);
    await platform.advance(HOUR_MS);
    expect(await settled(ticket)).toMatchObject([
      { status: 'sent', attempts: 3, last_error: null },
      { status: 'sent', attempts: 1 },
    ]);
    expect(platform.mails.filter(({ to }) => to === away)).toHaveLength(1);
  });

  test('that the server refuses for good has failed, and says why', async () => {
    const ticket = await open();
    const gone = freshEmail();
    platform.mailFailures.set(gone, [new MailRejected('550 5.1.1 No such mailbox')]);
    await notify(ticket, emailTo(gone));
    expect(await settled(ticket)).toMatchObject([
      { status: 'failed', attempts: 1, last_error: expect.stringContaining('No such mailbox') },
    ]);
    await platform.advance(HOUR_MS);
    await notify(ticket, emailTo(freshEmail()));
    await settled(ticket);
    expect(platform.mails.filter(({ to }) => to === gone)).toEqual([]);
  });

  test('is given up after ten tries', async () => {
    const ticket = await open();
    const never = freshEmail();
    platform.mailFailures.set(
      never,
      Array.from({ length: 20 }, () => new Error('busy')),
    );
    const answer = await notify(ticket, emailTo(never));
    for (let attempt = 1; attempt < 10; attempt++) {
      await waitsAfter(attempt, answer);
      await platform.advance(HOUR_MS);
    }
    expect(await settled(ticket)).toMatchObject([{ status: 'failed', attempts: 10 }]);
  });
});

describe('the comments in an e-mail', () => {
  const comment = async (ticket: Json, body: object) =>
    expect((await tenant.rest('POST', `/support/tickets/${ticket.id}/comments`, { body })).status).toBe(201);
  const discussed = async (): Promise<Json> => {
    const ticket = await open();
    await comment(ticket, { content: 'Still <b>no</b> light' });
    await comment(ticket, { content: 'The customer is difficult', visibility: 'internal' });
    await comment(ticket, { content: `A technician is coming ${'x'.repeat(3000)}` });
    return ticket;
  };

  test('are those that the customer sees, in their order, as text', async () => {
    const ticket = await discussed();
    for (const filter of [{}, { comment_filter: 'customer_visible' }]) {
      const email = freshEmail();
      expect((await notify(ticket, emailTo(email, { include_comments: true, ...filter }))).status).toBe(201);
      const { text, html = '' } = await mailTo(email);
      expect(text).toMatch(/> Still <b>no<\/b> light[\s\S]+> A technician is coming x{1900}/);
      expect(html).toContain('Still &lt;b&gt;no&lt;/b&gt; light');
      for (const content of [text, html]) {
        expect(content).not.toContain('difficult');
        expect(content).not.toContain('x'.repeat(2001));
      }
    }
    const email = freshEmail();
    await notify(ticket, emailTo(email));
    expect((await mailTo(email)).text).not.toContain('technician');
  });

  test('are internal ones for agents only', async () => {
    const ticket = await discussed();
    const email = freshEmail();
    const { agent_id } = ticket.assigned_to;
    await (await rows()).query('update support.agent set email = $1 where id = $2', [email, agent_id]);
    for (const comment_filter of ['all', 'internal']) {
      const stranger = freshEmail();
      const body = {
        type: 'email',
        recipients: [{ email: email.toUpperCase() }, { email: stranger }],
        include_comments: true,
        comment_filter,
      };
      const refused = await notify(ticket, body);
      expect(problems(refused)).toEqual([400, ['recipients']]);
      expect(refused.body.error.details.value).toBe(stranger);
      const sent = platform.mails.length;
      expect((await notify(ticket, { ...body, recipients: [{ email }] })).status).toBe(201);
      const { text } = await eventually(() => platform.mails.slice(sent).find(({ to }) => to === email));
      expect(text).toContain('> The customer is difficult');
      expect(text.includes('technician')).toBe(comment_filter === 'all');
    }
    expect((await notify(ticket, emailTo(email, { include_comments: true, comment_filter: 'secret' }))).status).toBe(400);
  });
});

describe('an SMS', () => {
  const smsTo = (phone: string, more: object = {}) => ({
    type: 'sms',
    recipients: [{ phone, name: 'Ada' }],
    message: 'On our way.',
    ...more,
  });

  test('is sent as it is', async () => {
    const ticket = await open();
    const phone = `+1212${Math.floor(1_000_000 + Math.random() * 8_999_999)}`;
    const answer = await notify(ticket, smsTo(phone, { message: 'On our way: {{eta}} <b>' }));
    expect(answer.status, JSON.stringify(answer.body)).toBe(201);
    expect(answer.body.data).toMatchObject({
      type: 'sms',
      template: null,
      recipients: [{ phone, email: null, name: 'Ada', subject: null }],
    });
    expect(await settled(ticket)).toMatchObject([{ status: 'sent', attempts: 1 }]);
    expect(platform.messages.filter(({ to }) => to === phone)).toEqual([{ to: phone, text: 'On our way: {{eta}} <b>' }]);
  });

  test('to a number that is none has failed at once', async () => {
    const ticket = await open();
    await notify(ticket, smsTo('+15005550001'));
    expect(await settled(ticket)).toMatchObject([{ status: 'failed', attempts: 1, last_error: expect.stringContaining('no such number') }]);
  });

  test.each([
    ['without a message', smsTo('+12125550100', { message: undefined }), ['message']],
    ['to no number', smsTo('212 555 0100'), ['recipients.0.phone']],
    [
      'to an address',
      { type: 'sms', recipients: [{ email: 'a@example.com', role: 'x' }], message: 'x' },
      ['recipients.0.phone', 'recipients.0.email', 'recipients.0.role'],
    ],
    [
      'with what e-mails have',
      smsTo('+12125550100', { subject: 'x', template: 'ticket_update', variables: {}, include_comments: true, comment_filter: 'all' }),
      ['template', 'subject', 'variables', 'include_comments', 'comment_filter'],
    ],
    ['that is too long', smsTo('+12125550100', { message: 'x'.repeat(1531) }), ['message']],
  ])('%s is refused', async (_, body, fields) => {
    expect(problems(await notify(await open(), body))).toEqual([400, expect.arrayContaining(fields)]);
  });
});

describe('a request', () => {
  const email = 'a@example.com';
  test.each([
    ['to nobody', { type: 'email', recipients: [] }, ['recipients']],
    [
      'to more than 50',
      { type: 'email', recipients: Array.from({ length: 51 }, (_, n) => ({ email: `a${n}@example.com` })) },
      ['recipients'],
    ],
    ['to addresses that are none', { type: 'email', recipients: [{ email: 'nobody' }, { name: 'x' }] }, ['recipients.0.email']],
    ['without an address', { type: 'email', recipients: [{ email }, { name: 'x' }] }, ['recipients.1.email']],
    ['with a name of two lines', { type: 'email', recipients: [{ email, name: 'Ada\r\nBcc: x@example.com' }] }, ['recipients.0.name']],
    ['with a subject of two lines', emailTo(email, { subject: 'Hi\nBcc: x@example.com' }), ['subject']],
    ['by a template that there is not', emailTo(email, { template: 'constructor' }), ['template']],
    ['with a placeholder without a value', emailTo(email, { subject: '{{constructor}} {{eta}}' }), ['subject']],
    [
      'with variables that are no texts',
      emailTo(email, { variables: { a: {}, b: [1], c: null, 'd e': 1, 'ticket.number': 1 } }),
      ['variables.a', 'variables.b', 'variables.c', 'variables.d e', 'variables.ticket.number'],
    ],
    ['with the message of an SMS', emailTo(email, { message: 'x' }), ['message']],
    ['with the phone of an SMS', { type: 'email', recipients: [{ email, phone: '+12125550100' }] }, ['recipients.0.phone']],
    ['of no known type', { type: 'fax', recipients: [{ email }] }, ['type']],
    ['with an unknown member', emailTo(email, { urgency: 1 }), ['urgency']],
  ])('%s is refused, and nobody is told', async (_, body, fields) => {
    const ticket = await open();
    expect(problems(await notify(ticket, body))).toEqual([400, expect.arrayContaining(fields)]);
    expect((await tenant.rest('GET', `/support/tickets/${ticket.id}/notifications`)).body.data).toEqual([]);
  });

  test('beyond what the plan allows within an hour is refused, and nobody is told', async () => {
    const small = await platform.organization({ plan: 'developer' });
    const ticket = await open({}, small);
    const many = (count: number) => ({ type: 'email', recipients: Array.from({ length: count }, () => ({ email: freshEmail() })) });
    expect((await notify(ticket, many(50), small)).status).toBe(201);
    expect((await notify(ticket, many(49), small)).status).toBe(201);
    const refused = await notify(ticket, many(2), small);
    expect(refused.status).toBe(429);
    expect(refused.body.error).toMatchObject({
      code: 'RATE_LIMIT_EXCEEDED',
      details: { window: 'notifications', limit: 100, remaining: 1 },
    });
    expect((await notify(ticket, many(1), small)).status).toBe(201);
    await platform.advance(HOUR_MS + 1000);
    expect((await notify(ticket, many(1), small)).status).toBe(201);
  });
});

describe('what was sent', () => {
  test('is read with the ticket, and by who administers the desk over all tickets, with its text', async () => {
    const own = await platform.organization();
    const [one, two] = [await open({}, own), await open({}, own)];
    const [first, second] = [freshEmail(), freshEmail()];
    await notify(one, emailTo(first), own);
    await notify(two, emailTo(second), own);
    await settled(two, own);

    const query = 'query ($id: ID!) { ticket(id: $id) { notifications { type template recipients { email status html } } } }';
    const { data } = await own.graphql(query, { id: two.id });
    expect(data.ticket.notifications).toMatchObject([
      {
        type: 'EMAIL',
        template: 'ticket_update',
        recipients: [{ email: second, status: 'SENT', html: expect.stringContaining(two.number) }],
      },
    ]);
    const outbox = await own.rest('GET', '/support/outbox?status=sent,queued&type=email');
    expect(outbox.body.data.map(({ email, ticket_id }: Json) => [email, ticket_id])).toEqual([
      [second, two.id],
      [first, one.id],
    ]);
    expect(outbox.body.data[1]).toMatchObject({ subject: expect.stringContaining(one.number), text: expect.stringContaining(one.number) });
    expect((await own.rest('GET', '/support/outbox?type=sms')).body.data).toEqual([]);
  });

  test('is nothing that a customer reads', async () => {
    const ticket = await open();
    const customer = await tenant.limitedTo('support:read', 'support:create');
    expect((await customer.rest('GET', `/support/tickets/${ticket.id}/notifications`)).status).toBe(403);
    expect((await notify(ticket, emailTo('a@example.com'), customer)).status).toBe(403);
    const { errors } = await customer.graphql('query ($id: ID!) { ticket(id: $id) { notifications { id } } }', { id: ticket.id });
    expect(errors).toMatchObject([{ extensions: { code: 'INSUFFICIENT_PERMISSIONS', details: { required: 'support:write' } } }]);
    const agent = await tenant.limitedTo('support:write');
    expect((await agent.rest('GET', '/support/outbox')).body.error.details.required).toBe('support:admin');
  });

  test('belongs to its organization', async () => {
    const ticket = await open();
    const email = freshEmail();
    await notify(ticket, emailTo(email));
    const stranger = await platform.organization();
    expect((await stranger.rest('GET', '/support/outbox')).body.data).toEqual([]);
    expect((await stranger.rest('GET', `/support/tickets/${ticket.id}/notifications`)).status).toBe(404);
    expect((await notify(ticket, emailTo(email), stranger)).status).toBe(404);
  });
});
