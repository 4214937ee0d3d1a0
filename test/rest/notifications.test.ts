import { beforeAll, describe, expect, test } from 'vitest';
import { type Rig, rig } from '../rig.ts';
import { rows, rowsWith } from '../support/tables.ts';
import type { Json, Tenant } from '../tenant.ts';
import { openTicket } from '../ticket.setup.ts';
import { emailTo, freshEmail, notify, settled } from './notification.setup.ts';

const DAY_MS = 86_400_000;

let platform: Rig;
let tenant: Tenant;
beforeAll(async () => {
  platform = await rig();
  tenant = await platform.organization({ plan: 'custom' });
});

describe('sent notifications', () => {
  test('sent notifications with their text are listed per ticket, and for all tickets under /support/notifications/sent', async () => {
    const own = await platform.organization();
    const [one, two] = [await openTicket(own), await openTicket(own)];
    const [first, second] = [freshEmail(), freshEmail()];
    await notify(own, one, emailTo(first));
    await notify(own, two, emailTo(second));
    await settled(own, two);

    const query = 'query ($id: ID!) { ticket(id: $id) { notifications(limit: 5) { type template recipients { email status html } } } }';
    const { data } = await own.graphql(query, { id: two.id });
    expect(data.ticket.notifications).toMatchObject([
      {
        type: 'EMAIL',
        template: 'ticket_update',
        recipients: [{ email: second, status: 'SENT', html: expect.stringContaining(two.number) }],
      },
    ]);
    const sent = await own.rest('GET', '/support/notifications/sent?status=sent,queued&type=email');
    expect(sent.body.data.map(({ email, ticket_id }: Json) => [email, ticket_id])).toEqual([
      [second, two.id],
      [first, one.id],
    ]);
    expect(sent.body.data[1]).toMatchObject({ subject: expect.stringContaining(one.number), text: expect.stringContaining(one.number) });
    expect((await own.rest('GET', '/support/notifications/sent?type=sms')).body.data).toEqual([]);
  });

  test("the text of a notification is stored only once, and is returned for each recipient with the recipient's name", async () => {
    const ticket = await openTicket(tenant);
    const message = `We found it: ${freshEmail()}`;
    const recipients = ['Ada', 'Bob', 'Eve'].map((name) => ({ email: freshEmail(), name }));
    expect((await notify(tenant, ticket, { type: 'email', recipients, variables: { message } })).status).toBe(201);
    expect(await rowsWith('support.notification_content', message)).toBe(1);
    expect(await rowsWith('support.notification_recipient', message)).toBe(0);
    const query = 'query ($id: ID!) { ticket(id: $id) { notifications(limit: 5) { recipients { name text html } } } }';
    const { data } = await tenant.graphql(query, { id: ticket.id });
    for (const { name, text, html } of data.ticket.notifications[0].recipients)
      for (const form of [text, html]) expect(form).toMatch(new RegExp(`Hello ${name},[^]*${message}`));
    await settled(tenant, ticket);
    const list = (await tenant.rest('GET', '/support/notifications/sent?limit=3')).body.data;
    expect(list.map(({ name, text, html }: Json) => [name, text.includes(message), html])).toEqual(
      ['Eve', 'Bob', 'Ada'].map((name) => [name, true, undefined]),
    );
    const statements = await platform.statements(() => tenant.rest('GET', `/support/tickets/${ticket.id}/notifications`));
    expect(statements.filter((sql) => sql.includes('notification_content'))).toEqual([]);
  });

  test('the text of a notification is deleted after 90 days, and the record that it was sent is kept', async () => {
    const [old, recent] = [await openTicket(tenant), await openTicket(tenant)];
    const [first, second] = [freshEmail(), freshEmail()];
    const { body } = await notify(tenant, old, emailTo(first));
    await notify(tenant, recent, emailTo(second));
    await Promise.all([settled(tenant, old), settled(tenant, recent)]);
    const age = async (days: number, id: string): Promise<void> => {
      const sent = new Date(platform.clock.now().getTime() - days * DAY_MS);
      await (await rows()).query('update support.notification_content set created_at = $1 where id = $2', [sent, id]);
    };
    await age(91, body.data.id);
    await age(89, (await notify(tenant, recent, emailTo(second))).body.data.id);
    await platform.assembly.domains.support.notificationRetention.run();
    const texts = async (email: string): Promise<(string | null)[]> =>
      (await tenant.rest('GET', '/support/notifications/sent?limit=3')).body.data
        .filter((one: Json) => one.email === email)
        .map(({ text }: Json) => text);
    expect(await texts(first)).toEqual([null]);
    expect(await texts(second)).toEqual([expect.stringContaining(recent.number), expect.stringContaining(recent.number)]);
    expect(await settled(tenant, old)).toMatchObject([{ email: first, status: 'sent', subject: expect.stringContaining(old.number) }]);
  });

  test('reading or sending notifications without the permission support:write returns 403', async () => {
    const ticket = await openTicket(tenant);
    const customer = await tenant.limitedTo('support:read', 'support:create');
    expect((await customer.rest('GET', `/support/tickets/${ticket.id}/notifications`)).status).toBe(403);
    expect((await notify(customer, ticket, emailTo('a@example.com'))).status).toBe(403);
    const { errors } = await customer.graphql('query ($id: ID!) { ticket(id: $id) { notifications { id } } }', { id: ticket.id });
    expect(errors).toMatchObject([{ extensions: { code: 'INSUFFICIENT_PERMISSIONS', details: { required: 'support:write' } } }]);
    const agent = await tenant.limitedTo('support:write');
    expect((await agent.rest('GET', '/support/notifications/sent')).body.error.details.required).toBe('support:admin');
  });

  test('reading or sending notifications for a ticket of another organization returns 404', async () => {
    const ticket = await openTicket(tenant);
    const email = freshEmail();
    await notify(tenant, ticket, emailTo(email));
    const stranger = await platform.organization();
    expect((await stranger.rest('GET', '/support/notifications/sent')).body.data).toEqual([]);
    expect((await stranger.rest('GET', `/support/tickets/${ticket.id}/notifications`)).status).toBe(404);
    expect((await notify(stranger, ticket, emailTo(email))).status).toBe(404);
  });
});
