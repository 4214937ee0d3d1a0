import { beforeAll, describe, expect, test } from 'vitest';
import { newId } from '../../kernel/records/ids.ts';
import { file } from '../rest/attachments.setup.ts';
import { emailTo, freshEmail, mailTo, notify } from '../rest/notification.setup.ts';
import { eventually, type Rig, rig } from '../rig.ts';
import { Browser, type Page } from '../support/browser.ts';
import { rows } from '../support/tables.ts';
import type { Json, Tenant } from '../tenant.ts';
import { changeTicket, openTicket } from '../ticket.setup.ts';

const DAY_MS = 86_400_000;
const NO_ACCESS = 'This link does not work any more';

let platform: Rig;
let tenant: Tenant;
beforeAll(async () => {
  platform = await rig();
  tenant = await platform.organization({ plan: 'custom' });
});

const linkIn = (text = ''): string => /https?:\S+\/console\/tickets\/\S+/.exec(text)?.[0] ?? '';

/** Creates a ticket, sends an email about it and returns the link of the email. */
async function linked(body: object = {}, recipient: object = {}): Promise<{ ticket: Json; email: string; link: URL; recipientId: string }> {
  const ticket = await openTicket(tenant, body);
  const email = freshEmail();
  const notification = await notify(tenant, ticket, { ...emailTo(email), recipients: [{ email, ...recipient }] });
  const link = new URL(linkIn((await mailTo(email)).text));
  return { ticket, email, link, recipientId: notification.body.data.recipients[0].id };
}

const visitor = (): Browser => new Browser(tenant.origin);
/** Opens the path of the link on the test server, because the link contains the public origin. */
const follow = (browser: Browser, { pathname, search }: URL): Promise<Page> => browser.open(`${pathname}${search}`);
const reply = (browser: Browser, page: Page, text: string): Promise<Page> => browser.submit(page, { reply: text });
const commentsOf = async ({ id }: Json): Promise<Json[]> => (await tenant.rest('GET', `/support/tickets/${id}/comments`)).body.comments;
const comment = async ({ id }: Json, body: object): Promise<void> => {
  expect((await tenant.rest('POST', `/support/tickets/${id}/comments`, { body })).status).toBe(201);
};
/** Revokes links of a ticket and returns the number of its revoked links. */
async function revoke(ticketId: string, recipientIds?: string[]): Promise<number> {
  const query = `mutation ($id: ID!, $of: [ID!]) {
    revokeTicketLinks(ticketId: $id, recipientIds: $of) { notifications { recipients { linkRevokedAt } } }
  }`;
  const { data, errors } = await tenant.graphql(query, { id: ticketId, of: recipientIds });
  expect(errors).toBeUndefined();
  const recipients = data.revokeTicketLinks.notifications.flatMap(({ recipients: those }: Json) => those);
  return recipients.filter(({ linkRevokedAt }: Json) => linkRevokedAt !== null).length;
}

describe('ticket links in emails', () => {
  test('a ticket link shows the ticket and its customer-visible comments without a login', async () => {
    const { ticket, link } = await linked({ title: 'Phones are silent' }, { name: 'Ada Diaz' });
    await comment(ticket, { content: 'We are looking into it.\nOne moment.' });
    await comment(ticket, { content: 'The customer is difficult.', visibility: 'internal' });
    await changeTicket(tenant, ticket.id, { status: 'in_progress' });
    const page = await follow(visitor(), link);
    expect(page.status).toBe(200);
    expect(page.url).toBe(`${tenant.origin}/console/tickets/${ticket.id}`);
    for (const part of [
      ticket.number,
      'Phones are silent',
      'Since 9:30.',
      'in progress',
      'We are looking into it.\nOne moment.',
      'You reply as Ada Diaz',
    ])
      expect(page.text).toContain(part);
    expect(page.text).not.toContain('difficult');
    expect(page.text).not.toContain('Sign out');
  });

  test('a recipient can reply through a ticket link, and the reply shows their name and reopens a resolved ticket', async () => {
    const { ticket, link, email, recipientId } = await linked({}, { name: 'Ada Diaz' });
    await changeTicket(tenant, ticket.id, { status: 'resolved' });
    const browser = visitor();
    const page = await reply(browser, await follow(browser, link), 'It is silent\r\nagain.');
    expect([page.status, page.url]).toEqual([200, `${tenant.origin}/console/tickets/${ticket.id}`]);
    expect(page.text).toContain('It is silent\nagain.');
    expect(await commentsOf(ticket)).toMatchObject([
      {
        content: 'It is silent\nagain.',
        type: 'reply',
        visibility: 'customer',
        author: { type: 'customer', id: recipientId, name: 'Ada Diaz', email },
      },
    ]);
    expect((await tenant.rest('GET', `/support/tickets/${ticket.id}`)).body.ticket.status).toBe('open');
  });

  test('the token of a ticket link is not in redirects, pages, logs, notification lists or the database', async () => {
    const { ticket, link, email } = await linked();
    const token = link.searchParams.get('token') as string;
    const first = await fetch(`${tenant.origin}${link.pathname}${link.search}`, { redirect: 'manual' });
    expect([first.status, first.headers.get('location'), first.headers.get('referrer-policy')]).toEqual([
      303,
      link.pathname,
      'no-referrer',
    ]);
    expect(first.headers.get('cache-control')).toBe('no-store');
    expect(first.headers.get('set-cookie')).toMatch(new RegExp(`; path=${link.pathname}; max-age=2592000; httponly; samesite=lax$`));
    const page = await follow(visitor(), link);
    expect(page.text).not.toContain(token);
    expect(page.headers.get('content-security-policy')).toMatch(/default-src 'none'.*frame-ancestors 'none'/);
    expect(platform.logged.filter((line) => line.includes(token))).toEqual([]);
    const sent = await tenant.rest('GET', '/support/notifications/sent');
    expect(sent.body.data.find((one: Json) => one.email === email).text).toContain(`/console/tickets/${ticket.id}\n`);
    expect(JSON.stringify(sent.body)).not.toContain('token=');
    const secret = token.split('.')[1];
    const stored = `select count(*)::int as n from support.notification_content where document::text like $1`;
    expect(await (await rows()).query(stored, [`%${secret}%`])).toEqual([{ n: 0 }]);
  });

  test('a ticket link gives access only to customer-visible attachments of its ticket, and other attachments return 404', async () => {
    const { ticket, link } = await linked({ attachments: [file('site plan.txt', 'text/plain', 'Second floor')] });
    await comment(ticket, { content: 'See there.', attachments: [file('answer.txt', 'text/plain', 'Turn it on')] });
    await comment(ticket, { content: 'Ours.', visibility: 'internal', attachments: [file('secret.txt', 'text/plain', 'Ours alone')] });
    const other = await linked({ attachments: [file('other.txt', 'text/plain', 'Of another ticket')] });
    const browser = visitor();
    const page = await follow(browser, link);
    const files = [...page.text.matchAll(/<a href="([^"]+\/attachments\/[^"]+)" download>([^<]+)</g)].map(([, href = '', name]) => ({
      href,
      name,
    }));
    expect(files.map(({ name }) => name)).toEqual(['site plan.txt', 'answer.txt']);
    const contents = await Promise.all(files.map(({ href }) => browser.open(href)));
    expect(contents.map(({ status, text }) => [status, text])).toEqual([
      [200, 'Second floor'],
      [200, 'Turn it on'],
    ]);
    expect(contents[0]?.headers.get('content-disposition')).toBe('attachment; filename="site plan.txt"');
    expect(contents[0]?.headers.get('content-security-policy')).toContain('sandbox');

    const { body } = await tenant.rest('GET', `/support/tickets/${ticket.id}`);
    const secret = body.ticket.attachments.find(({ filename }: Json) => filename === 'secret.txt').id;
    for (const id of [secret, other.ticket.attachments[0].id, 'att_none', '%00']) {
      const hidden = await browser.open(`/console/tickets/${ticket.id}/attachments/${id}`);
      expect([hidden.status, hidden.text.includes('Ours alone') || hidden.text.includes('another ticket')]).toEqual([404, false]);
    }
    const stranger = await visitor().open(files[0]?.href ?? '');
    expect(stranger.url).toContain('/console/sign-in');
  });

  test('the ticket page shows fifty comments at a time with a link to earlier comments', async () => {
    const { ticket, link } = await linked();
    for (let at = 1; at <= 52; at += 1) await comment(ticket, { content: `Message ${at}.` });
    await comment(ticket, { content: 'Internal.', visibility: 'internal' });
    const messagesOn = ({ text }: Page): number[] => [...text.matchAll(/>Message (\d+)\.</g)].map(([, number]) => Number(number));
    const linkTo = ({ text }: Page, label: string): string => new RegExp(`<a href="([^"]+)">${label}</a>`).exec(text)?.[1] ?? '';
    const browser = visitor();
    const newest = await follow(browser, link);
    expect(messagesOn(newest)).toEqual(Array.from({ length: 50 }, (_, at) => at + 3));
    expect(linkTo(newest, 'Newest replies')).toBe('');
    const earlier = await browser.open(linkTo(newest, 'Earlier replies'));
    expect(messagesOn(earlier)).toEqual([1, 2]);
    expect(linkTo(earlier, 'Earlier replies')).toBe('');
    expect(messagesOn(await browser.open(linkTo(earlier, 'Newest replies')))).toEqual(messagesOn(newest));
    const { body } = await tenant.rest('GET', `/support/tickets/${ticket.id}/comments?limit=1`);
    expect(messagesOn(await browser.open(`${new URL(newest.url).pathname}?before=${body.comments[0].id}`))).toEqual(messagesOn(newest));
  });

  test('a ticket link gives no access to another ticket, and a reply to another ticket returns 403', async () => {
    const [mine, other] = [await linked(), await linked()];
    const browser = visitor();
    await follow(browser, mine.link);
    const withoutLink = await browser.open(`/console/tickets/${other.ticket.id}`);
    expect(withoutLink.text).toContain('<h1>Sign in</h1>');
    const shown = await browser.open(`/console/tickets/${other.ticket.id}?token=${mine.link.searchParams.get('token')}`);
    expect([shown.status, shown.text.includes(NO_ACCESS)]).toEqual([403, true]);
    for (const { text } of [withoutLink, shown]) expect(text).not.toContain(other.ticket.number);
    const cookie = `ticket_link=${mine.link.searchParams.get('token')}`;
    const posted = await fetch(`${tenant.origin}/console/tickets/${other.ticket.id}`, {
      method: 'POST',
      headers: { cookie },
      body: new URLSearchParams({ reply: 'Let me in' }),
    });
    expect(posted.status).toBe(403);
    expect(await commentsOf(other.ticket)).toEqual([]);
  });

  test.each([
    ['with another signature', (token: string) => `${token.slice(0, -2)}${token.endsWith('AA') ? 'BB' : 'AA'}`],
    ['of another recipient', (token: string) => `${newId('notificationRecipient')}.${token.split('.')[1]}`],
    ['without a signature', (token: string) => token.split('.')[0]],
    ['that is empty', () => ''],
    ['that is not a token', () => 'null%00'],
    ['that is sent twice', (token: string) => `${token}&token=${token}`],
  ])('a ticket link with a token %s returns 403 without ticket data', async (_, forge) => {
    const { ticket, link } = await linked();
    const page = await visitor().open(`${link.pathname}?token=${forge(link.searchParams.get('token') as string)}`);
    expect([page.status, page.text.includes(NO_ACCESS)]).toEqual([403, true]);
    expect(page.text).not.toContain(ticket.number);
    expect(page.headers.get('set-cookie')).toBeNull();
  });

  test('a visitor without a ticket link sees the same page for an existing and an unknown ticket', async () => {
    const { ticket } = await linked();
    const responses = [ticket.id, newId('ticket')].map(async (id) => {
      const { status, text } = await visitor().open(`/console/tickets/${id}`);
      return [status, text.replaceAll(id, 'ID')];
    });
    const [there, absent] = await Promise.all(responses);
    expect(there).toEqual(absent);
  });

  test('a ticket link and replies through it return 403 after 30 days', async () => {
    const { link, recipientId } = await linked();
    const browser = visitor();
    const page = await follow(browser, link);
    const age = async (ms: number): Promise<void> => {
      const sent = new Date(platform.clock.now().getTime() - ms);
      await (await rows()).query('update support.notification_recipient set created_at = $1 where id = $2', [sent, recipientId]);
    };
    await age(30 * DAY_MS - 60_000);
    expect((await follow(browser, link)).status).toBe(200);
    await age(30 * DAY_MS + 1);
    expect((await follow(visitor(), link)).status).toBe(403);
    const late = await reply(browser, page, 'Am I too late?');
    expect([late.status, late.text.includes('Am I too late?')]).toEqual([403, true]);
  });

  test('ticket links can be revoked for one or all recipients, and the next email contains a valid link', async () => {
    const [one, other] = [await linked(), await linked()];
    const browser = visitor();
    const page = await follow(browser, one.link);
    expect(await revoke(one.ticket.id, [other.recipientId])).toBe(0);
    expect((await follow(visitor(), one.link)).status).toBe(200);
    expect(await revoke(one.ticket.id, [one.recipientId])).toBe(1);
    expect([(await follow(visitor(), one.link)).status, (await browser.open(one.link.pathname)).status]).toEqual([403, 403]);
    expect((await reply(browser, page, 'Still here')).status).toBe(403);
    expect(await commentsOf(one.ticket)).toEqual([]);

    expect(await revoke(other.ticket.id)).toBe(1);
    expect((await follow(visitor(), other.link)).status).toBe(403);
    const email = freshEmail();
    await notify(tenant, other.ticket, emailTo(email));
    expect((await follow(visitor(), new URL(linkIn((await mailTo(email)).text)))).status).toBe(200);
  });

  test('revoking ticket links creates one audit record and one event for support staff', async () => {
    const { ticket } = await linked();
    expect(await revoke(ticket.id)).toBe(1);
    await revoke(ticket.id);
    const records = await eventually(async () => {
      const { body } = await tenant.rest('GET', '/auth/audit?event_type=ticket_links_revoked&limit=200');
      const own = body.data.filter(({ reason }: Json) => reason.includes(ticket.id));
      return own.length > 0 && own;
    });
    expect(records).toMatchObject([{ client_id: expect.stringMatching(/^ak_/), reason: expect.stringContaining('links 1') }]);
    const query = 'query ($of: [ID!]) { events(filter: { event: ["ticket.links_revoked"], subjectId: $of }) { nodes { data } } }';
    const { data } = await tenant.graphql(query, { of: [ticket.id] });
    expect(data.events.nodes).toMatchObject([{ data: { revoked: { links: 1, by: { type: 'api_key', id: records[0].client_id } } } }]);
  });

  test('revoking ticket links returns RESOURCE_NOT_FOUND to another organization and INSUFFICIENT_PERMISSIONS to a caller without support:write', async () => {
    const { ticket, link } = await linked();
    const stranger = await platform.organization();
    const query = 'mutation ($id: ID!) { revokeTicketLinks(ticketId: $id) { id } }';
    expect((await stranger.graphql(query, { id: ticket.id })).errors).toMatchObject([{ extensions: { code: 'RESOURCE_NOT_FOUND' } }]);
    const reader = await tenant.limitedTo('support:read', 'support:create');
    expect((await reader.graphql(query, { id: ticket.id })).errors).toMatchObject([{ extensions: { code: 'INSUFFICIENT_PERMISSIONS' } }]);
    expect((await follow(visitor(), link)).status).toBe(200);
  });

  test('a ticket link returns 403 while its organization is suspended', async () => {
    const own = await platform.organization();
    const ticket = await openTicket(own);
    const email = freshEmail();
    await notify(own, ticket, emailTo(email));
    const link = new URL(linkIn((await mailTo(email)).text));
    const browser = visitor();
    const page = await follow(browser, link);
    expect(page.status).toBe(200);
    const become = async (status: string): Promise<unknown> =>
      (await rows()).query('update identity.organization set status = $1 where id = $2', [status, own.organizationId]);
    await become('suspended');
    expect([(await follow(visitor(), link)).status, (await reply(browser, page, 'Hello?')).status]).toEqual([403, 403]);
    await become('active');
    expect((await follow(visitor(), link)).status).toBe(200);
  });

  test('an email to an agent contains a ticket link without a token', async () => {
    const email = freshEmail();
    expect((await tenant.rest('POST', '/support/agents', { body: { name: 'Bob', email, specialization: 'connectivity' } })).status).toBe(
      201,
    );
    const ticket = await openTicket(tenant);
    await notify(tenant, ticket, emailTo(email));
    expect(linkIn((await mailTo(email)).text)).toMatch(new RegExp(`/console/tickets/${ticket.id}$`));
  });
});

describe('replies through a ticket link', () => {
  test('HTML in a ticket and in a reply through a ticket link is escaped on the ticket page', async () => {
    const evil = `</textarea><script>alert(1)</script><img src=x onerror=alert(1)>"'&{{ticket.number}}`;
    const { ticket, link } = await linked({ title: evil, description: evil }, { name: evil.slice(0, 60) });
    const browser = visitor();
    const page = await reply(browser, await follow(browser, link), evil);
    expect(page.text).not.toMatch(/<script|<img|<\/textarea><s/);
    expect(page.text.split('&lt;/textarea&gt;&lt;script&gt;').length).toBeGreaterThan(4);
    expect((await commentsOf(ticket))[0]?.content).toBe(evil);
    const tooLong = await reply(browser, page, evil.repeat(100));
    expect([tooLong.status, /<script|<img/.test(tooLong.text)]).toEqual([400, false]);
  });

  test.each([
    ['empty', ' \r\n ', 'is empty'],
    ['longer than 5,000 characters', 'x'.repeat(5001), 'is longer than 5000'],
  ])('replying through a ticket link returns 400 if the reply is %s, and the page keeps the typed text', async (_, text, problem) => {
    const { ticket, link } = await linked();
    const browser = visitor();
    const page = await reply(browser, await follow(browser, link), text);
    expect(page.status).toBe(400);
    expect(page.text).toMatch(new RegExp(`role="alert">[^<]*${problem}`));
    expect(page.text).toContain(text.trim());
    expect(await commentsOf(ticket)).toEqual([]);
  });

  test('a reply of 2500 emoji can be sent through a ticket link', async () => {
    const { ticket, link } = await linked();
    const browser = visitor();
    const text = '🦊'.repeat(2500);
    expect((await reply(browser, await follow(browser, link), text)).status).toBe(200);
    expect((await commentsOf(ticket))[0]?.content).toBe(text);
  });

  test('submitting the reply form of a ticket link three times stores one comment', async () => {
    const { ticket, link } = await linked();
    const browser = visitor();
    const page = await follow(browser, link);
    await Promise.all([1, 2, 3].map(() => reply(browser, page, 'Hello?')));
    expect(await commentsOf(ticket)).toHaveLength(1);
  });

  test('the twenty-first reply per hour through a ticket link returns 429, and the page keeps the typed text', async () => {
    const { ticket, link } = await linked();
    const browser = visitor();
    const page = await follow(browser, link);
    for (let count = 1; count <= 20; count += 1) expect((await reply(browser, page, `Reply ${count}`)).status).toBe(200);
    const refused = await reply(browser, page, 'Reply 21');
    expect([refused.status, /role="alert">There were too many replies/.test(refused.text), refused.text.includes('Reply 21')]).toEqual([
      429,
      true,
      true,
    ]);
    expect(await commentsOf(ticket)).toHaveLength(20);
    await platform.advance(3_600_000);
    expect((await reply(browser, page, 'Reply 21')).status).toBe(200);
  });

  test('a reply that another site submits with the cookie of a ticket link returns 403', async () => {
    const { ticket, link } = await linked();
    const headers = { cookie: `ticket_link=${link.searchParams.get('token')}`, 'sec-fetch-site': 'cross-site' };
    const response = await fetch(`${tenant.origin}${link.pathname}`, {
      method: 'POST',
      headers,
      body: new URLSearchParams({ reply: 'Forged' }),
    });
    expect(response.status).toBe(403);
    expect(await commentsOf(ticket)).toEqual([]);
  });

  test('a reply through a ticket link creates a comment.added event', async () => {
    const { ticket, link } = await linked();
    const browser = visitor();
    await reply(browser, await follow(browser, link), 'Is anybody there?');
    const query = '{ events(filter: { event: ["comment.added"] }, page: { perPage: 20 }) { nodes { payload } } }';
    await eventually(async () => JSON.stringify(await tenant.graphql(query)).includes(ticket.id));
  });
});
