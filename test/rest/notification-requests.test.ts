import { beforeAll, describe, expect, test } from 'vitest';
import { type Rig, rig } from '../rig.ts';
import type { Tenant } from '../tenant.ts';
import { openTicket } from '../ticket.setup.ts';
import { emailTo, notify, problems, settled } from './notification.setup.ts';

let platform: Rig;
let tenant: Tenant;
beforeAll(async () => {
  platform = await rig();
  tenant = await platform.organization({ plan: 'custom' });
});

describe('SMS notifications', () => {
  const smsTo = (phone: string, more: object = {}) => ({
    type: 'sms',
    recipients: [{ phone, name: 'Ada' }],
    message: 'On our way.',
    ...more,
  });

  test('the text of a sent SMS equals the message in the request', async () => {
    const ticket = await openTicket(tenant);
    const phone = `+1212${Math.floor(1_000_000 + Math.random() * 8_999_999)}`;
    const response = await notify(tenant, ticket, smsTo(phone, { message: 'On our way: {{eta}} <b>' }));
    expect(response.status, JSON.stringify(response.body)).toBe(201);
    expect(response.body.data).toMatchObject({
      type: 'sms',
      template: null,
      recipients: [{ phone, email: null, name: 'Ada', subject: null }],
    });
    expect(await settled(tenant, ticket)).toMatchObject([{ status: 'sent', attempts: 1 }]);
    expect(platform.messages.filter(({ to }) => to === phone)).toEqual([{ to: phone, text: 'On our way: {{eta}} <b>' }]);
  });

  test('an SMS to a phone number that does not exist has the status failed after one attempt', async () => {
    const ticket = await openTicket(tenant);
    await notify(tenant, ticket, smsTo('+15005550001'));
    expect(await settled(tenant, ticket)).toMatchObject([
      { status: 'failed', attempts: 1, last_error: expect.stringContaining('no such number') },
    ]);
  });

  test.each([
    ['without a message', smsTo('+12125550100', { message: undefined }), ['message']],
    ['to an invalid number', smsTo('212 555 0100'), ['recipients.0.phone']],
    [
      'to an email address',
      { type: 'sms', recipients: [{ email: 'a@example.com', role: 'x' }], message: 'x' },
      ['recipients.0.phone', 'recipients.0.email', 'recipients.0.role'],
    ],
    [
      'with fields of emails',
      smsTo('+12125550100', { subject: 'x', template: 'ticket_update', variables: {}, include_comments: true, comment_filter: 'all' }),
      ['template', 'subject', 'variables', 'include_comments', 'comment_filter'],
    ],
    ['that is too long', smsTo('+12125550100', { message: 'x'.repeat(1531) }), ['message']],
  ])('requesting an SMS %s returns 400 and names the fields', async (_, body, fields) => {
    expect(problems(await notify(tenant, await openTicket(tenant), body))).toEqual([400, expect.arrayContaining(fields)]);
  });
});

describe('notification requests', () => {
  const email = 'a@example.com';
  test.each([
    ['without recipients', { type: 'email', recipients: [] }, ['recipients']],
    [
      'to more than 50 recipients',
      { type: 'email', recipients: Array.from({ length: 51 }, (_, n) => ({ email: `a${n}@example.com` })) },
      ['recipients'],
    ],
    ['to an invalid email address', { type: 'email', recipients: [{ email: 'nobody' }, { name: 'x' }] }, ['recipients.0.email']],
    ['to a recipient without an address', { type: 'email', recipients: [{ email }, { name: 'x' }] }, ['recipients.1.email']],
    [
      'to a recipient name with a line break',
      { type: 'email', recipients: [{ email, name: 'Ada\r\nBcc: x@example.com' }] },
      ['recipients.0.name'],
    ],
    ['with a line break in the subject', emailTo(email, { subject: 'Hi\nBcc: x@example.com' }), ['subject']],
    ['with an unknown template', emailTo(email, { template: 'constructor' }), ['template']],
    ['with a placeholder that has no value', emailTo(email, { subject: '{{constructor}} {{eta}}' }), ['subject']],
    [
      'with variables that are not text',
      emailTo(email, { variables: { a: {}, b: [1], c: null, 'd e': 1, 'ticket.number': 1 } }),
      ['variables.a', 'variables.b', 'variables.c', 'variables.d e', 'variables.ticket.number'],
    ],
    [
      'with variables that are too large',
      emailTo(email, { variables: Object.fromEntries(['a', 'b', 'c', 'd', 'e'].map((name) => [name, 'x'.repeat(4_000)])) }),
      ['variables'],
    ],
    ['with the SMS field "message"', emailTo(email, { message: 'x' }), ['message']],
    ['with the SMS field "phone"', { type: 'email', recipients: [{ email, phone: '+12125550100' }] }, ['recipients.0.phone']],
    ['of an unknown type', { type: 'fax', recipients: [{ email }] }, ['type']],
    ['with an unknown field', emailTo(email, { urgency: 1 }), ['urgency']],
  ])('requesting a notification %s returns 400, and no recipient is notified', async (_, body, fields) => {
    const ticket = await openTicket(tenant);
    expect(problems(await notify(tenant, ticket, body))).toEqual([400, expect.arrayContaining(fields)]);
    expect((await tenant.rest('GET', `/support/tickets/${ticket.id}/notifications`)).body.data).toEqual([]);
  });
});
