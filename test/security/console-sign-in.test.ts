import { inflateRawSync } from 'node:zlib';
import { beforeAll, describe, expect, test } from 'vitest';
import { newId } from '../../kernel/records/ids.ts';
import { createAccount } from '../billing.setup.ts';
import { type Rig, rig } from '../rig.ts';
import { Browser, type Page } from '../support/browser.ts';
import type { Json, Tenant } from '../tenant.ts';
import { openTicket } from '../ticket.setup.ts';
import { PASSWORD, type TestUser, userOf } from '../users.setup.ts';
import { codesSentTo, confirmed, totp, withSms, wrongTotp } from './mfa.setup.ts';
import { SamlWorld } from './saml-idp.ts';

const COOKIE = /^console_session=([^;]+); path=\/console; max-age=3600; httponly; samesite=lax$/;

let platform: Rig;
let tenant: Tenant;
beforeAll(async () => {
  platform = await rig();
  tenant = await platform.organization({ plan: 'custom' });
});

const pathOf = ({ id }: Json): string => `/console/tickets/${id}`;
const signIn = (browser: Browser, page: Page, { email }: TestUser, password = PASSWORD): Promise<Page> =>
  browser.submit(page, { email, password });
async function signedIn(user: TestUser, ticket: Json): Promise<{ browser: Browser; page: Page }> {
  const browser = new Browser(tenant.origin);
  return { browser, page: await signIn(browser, await browser.open(pathOf(ticket)), user) };
}
const comments = async ({ id }: Json): Promise<Json[]> => (await tenant.rest('GET', `/support/tickets/${id}/comments`)).body.comments;

/** Posts a form with a plain HTTP request and does not follow a redirect. */
const posted = (path: string, form: Record<string, string>, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(`${tenant.origin}${path}`, { method: 'POST', redirect: 'manual', headers, body: new URLSearchParams(form) });
async function sessionOf(user: TestUser): Promise<string> {
  const { headers } = await posted('/console/sign-in/login', { email: user.email, password: PASSWORD });
  return COOKIE.exec(headers.get('set-cookie') ?? '')?.[1] ?? '';
}

describe('ticket page', () => {
  test('a visitor without a link signs in on the ticket page, returns to the ticket and replies under their own name', async () => {
    const ticket = await openTicket(tenant, { title: 'Fax is slow' });
    await tenant.rest('POST', `/support/tickets/${ticket.id}/comments`, { body: { content: 'Nobody faxes.', visibility: 'internal' } });
    const user = await userOf(tenant, 'member');
    const { browser, page } = await signedIn(user, ticket);
    expect([page.status, page.url]).toEqual([200, `${tenant.origin}${pathOf(ticket)}`]);
    for (const part of [ticket.number, 'Fax is slow', 'There are no replies yet', 'Sign out']) expect(page.text).toContain(part);
    await browser.submit(page, { reply: 'It is <b>very</b> slow.' }, pathOf(ticket));
    const [newest] = await comments(ticket);
    expect(newest).toMatchObject({ content: 'It is <b>very</b> slow.', author: { type: 'customer', id: user.id, email: user.email } });
  });

  test('support staff reply on the ticket page under their own name, and the page does not show internal comments', async () => {
    const ticket = await openTicket(tenant);
    await tenant.rest('POST', `/support/tickets/${ticket.id}/comments`, { body: { content: 'A secret of ours.', visibility: 'internal' } });
    const user = await userOf(tenant, 'admin');
    const { browser, page } = await signedIn(user, ticket);
    expect(page.text).not.toContain('A secret of ours.');
    const after = await browser.submit(page, { reply: 'We found it.' }, pathOf(ticket));
    expect(after.text).toContain('We found it.');
    const [newest] = await comments(ticket);
    expect(newest).toMatchObject({ content: 'We found it.', visibility: 'customer', author: { type: 'agent', email: user.email } });
  });

  test('the ticket page returns 404 to a user of another organization', async () => {
    const ticket = await openTicket(tenant);
    const { browser, page } = await signedIn(await userOf(await platform.organization(), 'owner'), ticket);
    const absent = await browser.open(pathOf({ id: newId('ticket') }));
    expect([page.status, absent.status]).toEqual([404, 404]);
    expect(page.text).not.toContain(ticket.number);
    const posted = await browser.open(pathOf(ticket), { method: 'POST', body: new URLSearchParams({ reply: 'Let me in' }) });
    expect(posted.status).toBe(403);
    expect(await comments(ticket)).toEqual([]);
  });

  test('the ticket page returns 404 to a caller limited to other accounts', async () => {
    const [mine, other] = [await createAccount(tenant), await createAccount(tenant)];
    const [shown, hidden] = [
      await openTicket(tenant, { customer_id: mine.customer_id }),
      await openTicket(tenant, { customer_id: other.customer_id }),
    ];
    const body = { name: 'Limited', permissions: ['support:read'], accounts: [mine.id] };
    const { key } = (await tenant.rest('POST', '/auth/api-keys', { body })).body.api_key;
    const statusOf = async (ticket: Json): Promise<number> =>
      (await fetch(`${tenant.origin}${pathOf(ticket)}`, { headers: { cookie: `console_session=${key}` }, redirect: 'manual' })).status;
    expect([await statusOf(shown), await statusOf(hidden)]).toEqual([200, 404]);
  });

  test('the ticket page shows no reply form to users with read-only access and returns 403 to their replies', async () => {
    const ticket = await openTicket(tenant);
    const { browser, page } = await signedIn(await userOf(tenant, 'read_only'), ticket);
    expect([page.status, page.text.includes('<textarea')]).toEqual([200, false]);
    const posted = await browser.open(pathOf(ticket), { method: 'POST', body: new URLSearchParams({ reply: 'Let me write' }) });
    expect(posted.status).toBe(403);
    expect(await comments(ticket)).toEqual([]);
  });

  test('a reply sent after the session ended returns 403, and the page still contains the typed text', async () => {
    const ticket = await openTicket(tenant);
    const user = await userOf(tenant, 'admin');
    const { browser, page } = await signedIn(user, ticket);
    browser.forget();
    const lost = await browser.submit(page, { reply: 'An hour of <work>' }, pathOf(ticket));
    expect([lost.status, lost.text.includes('An hour of &lt;work&gt;')]).toEqual([403, true]);
    expect(await comments(ticket)).toEqual([]);
  });

  test('a reply form posted to the ticket page from another site returns 403', async () => {
    const ticket = await openTicket(tenant);
    const cookie = `console_session=${await sessionOf(await userOf(tenant, 'admin'))}`;
    const response = await posted(pathOf(ticket), { reply: 'Forged' }, { cookie, 'sec-fetch-site': 'cross-site' });
    expect(response.status).toBe(403);
    expect(await comments(ticket)).toEqual([]);
  });
});

describe('page sign-in', () => {
  test('a wrong password on the sign-in page returns 401, and the page keeps the typed email address but not the password', async () => {
    const ticket = await openTicket(tenant);
    const user = await userOf(tenant);
    const browser = new Browser(tenant.origin);
    const wrong = await signIn(browser, await browser.open(pathOf(ticket)), user, 'not the password');
    expect([wrong.status, wrong.text.includes('role="alert"'), wrong.text.includes(user.email)]).toEqual([401, true, true]);
    expect(wrong.text).not.toContain('not the password');
    expect(wrong.headers.get('set-cookie')).toBeNull();
    expect((await signIn(browser, wrong, user)).url).toBe(`${tenant.origin}${pathOf(ticket)}`);
  });

  test('the sign-in page sets no cookie until a user with a second factor has entered the code', async () => {
    const ticket = await openTicket(tenant);
    const { user, secret } = await confirmed(tenant);
    const { browser, page } = await signedIn(user, ticket);
    expect([page.status, page.text.includes('Second step'), page.headers.get('set-cookie')]).toEqual([200, true, null]);
    const wrong = await browser.submit(page, { code: await wrongTotp(secret) });
    expect([wrong.status, wrong.text.includes('role="alert"')]).toEqual([401, true]);
    const right = await browser.submit(wrong, { code: await totp(secret) });
    expect([right.status, right.url]).toEqual([200, `${tenant.origin}${pathOf(ticket)}`]);
  });

  test('the sign-in page sends only one code to a user whose only second factor is SMS', async () => {
    const ticket = await openTicket(tenant);
    const { user, number } = await withSms(tenant);
    const before = (await codesSentTo(number)).length;
    const { browser, page } = await signedIn(user, ticket);
    expect(page.text).toContain('that we have sent you');
    await browser.submit(page, { code: '000000' });
    expect((await codesSentTo(number)).length).toBeLessThanOrEqual(before + 1);
  });

  test('the second-factor form of the sign-in page returns 400 if the form is forged or older than ten minutes', async () => {
    const ticket = await openTicket(tenant);
    const { user, secret } = await confirmed(tenant);
    const { browser, page } = await signedIn(user, ticket);
    const passed = /name="passed" value="([^"]+)"/.exec(page.text)?.[1] ?? '';
    for (const forged of ['', 'v1.AAAA', `${passed.slice(0, -4)}AAAA`]) {
      const response = await posted('/console/sign-in/second-factor', { passed: forged, code: await totp(secret) });
      expect([response.status, response.headers.get('set-cookie')]).toEqual([400, null]);
    }
    await platform.advance(10 * 60_000);
    const late = await browser.submit(page, { code: await totp(secret) });
    expect([late.status, late.text.includes('sign-in has expired')]).toEqual([400, true]);
  });

  test.each([
    'https://evil.example/console/tickets/x',
    '//evil.example/console/tickets/x',
    '/\\evil.example',
    '/console/../v1/organization',
    '/console//evil.example',
    '/console/tickets/x?token=1',
    '/v1/organization',
    'javascript:alert(1)',
  ])('the sign-in page does not redirect to %s after a sign-in', async (to) => {
    const user = await userOf(tenant);
    const response = await posted('/console/sign-in/login', { email: user.email, password: PASSWORD, to });
    expect([response.status, response.headers.get('location')]).toEqual([303, '/console/sign-in/done']);
    const page = await new Browser(tenant.origin).open(`/console/sign-in?to=${encodeURIComponent(to)}`);
    expect(page.text).not.toContain('evil');
  });

  test('a sign-in on the sign-in page adds a session to the session list of the user, and signing out deletes this session', async () => {
    const ticket = await openTicket(tenant);
    const user = await userOf(tenant);
    const before = (await user.rest('GET', '/auth/sessions')).body.data.length;
    const { browser, page } = await signedIn(user, ticket);
    expect((await user.rest('GET', '/auth/sessions')).body.data).toHaveLength(before + 1);
    const out = await browser.submit(page, {}, '/console/sign-out');
    expect([out.status, out.text.includes('You are signed out')]).toEqual([200, true]);
    expect((await user.rest('GET', '/auth/sessions')).body.data).toHaveLength(before);
    expect((await browser.open(pathOf(ticket))).text).toContain('<h1>Sign in</h1>');
  });

  test('the ticket page redirects to the sign-in page after the user signed out in another window', async () => {
    const ticket = await openTicket(tenant);
    const cookie = `console_session=${await sessionOf(await userOf(tenant))}`;
    const open = () => fetch(`${tenant.origin}${pathOf(ticket)}`, { headers: { cookie }, redirect: 'manual' });
    expect((await open()).status).toBe(200);
    await posted('/console/sign-out', {}, { cookie });
    const response = await open();
    expect([response.status, response.headers.get('location')]).toEqual([303, `/console/sign-in?to=${encodeURIComponent(pathOf(ticket))}`]);
  });

  test('a sign-in form posted from another site returns 403 and sets no cookie', async () => {
    const user = await userOf(tenant);
    const response = await posted('/console/sign-in/login', { email: user.email, password: PASSWORD }, { 'sec-fetch-site': 'cross-site' });
    expect([response.status, response.headers.get('set-cookie')]).toEqual([403, null]);
  });
});

describe('page session cookie', () => {
  test('the session cookie of the ticket page is rejected as a credential of the REST and GraphQL API', async () => {
    const cookie = `console_session=${await sessionOf(await userOf(tenant))}`;
    expect((await fetch(`${tenant.origin}/v1/organization`, { headers: { cookie } })).status).toBe(401);
    const init = { method: 'POST', headers: { cookie, 'content-type': 'application/json' }, body: '{"query":"{ organization { id } }"}' };
    expect(JSON.stringify(await (await fetch(`${tenant.origin}/graphql`, init)).json())).toContain('INVALID_CREDENTIALS');
  });

  test('the ticket page redirects to the sign-in page if the session cookie contains an API key that requires signatures', async () => {
    const ticket = await openTicket(tenant);
    const body = { name: 'signs', permissions: ['support:read'], require_signature: true };
    const { key } = (await tenant.rest('POST', '/auth/api-keys', { body })).body.api_key;
    const response = await fetch(`${tenant.origin}${pathOf(ticket)}`, {
      headers: { cookie: `console_session=${key}` },
      redirect: 'manual',
    });
    expect([response.status, response.headers.get('location')?.startsWith('/console/sign-in')]).toEqual([303, true]);
  });

  test('the ticket page redirects to the sign-in page if its session cookie is invalid', async () => {
    for (const value of ['', 'x', 'a.b.c', '%00', '"quoted"']) {
      const headers = { cookie: `other=1; console_session=${value}; more=2` };
      const response = await fetch(`${tenant.origin}/console/tickets/x`, { headers, redirect: 'manual' });
      expect([value, response.status]).toEqual([value, 303]);
    }
  });
});

describe('single sign-on to a ticket', () => {
  async function openSso(browser: Browser, ticket: Json, email: string): Promise<Page> {
    const page = await browser.open(pathOf(ticket));
    const form = await browser.open(linkTo(page, 'Sign in with single sign-on'));
    return browser.submit(form, { email });
  }
  const linkTo = ({ text }: Page, label: string): string =>
    new RegExp(`<a href="([^"]+)">${label}</a>`).exec(text)?.[1]?.replaceAll('&amp;', '&') ?? '';

  /** Posts the identity provider's response to the sign-in request, as the browser does. */
  async function finishSso(world: SamlWorld, browser: Browser, request: Page): Promise<Page> {
    const sent = new URL(request.url).searchParams;
    const xml = inflateRawSync(Buffer.from(sent.get('SAMLRequest') ?? '', 'base64')).toString();
    const samlResponse = await world.respond({ inResponseTo: / ID="([^"]+)"/.exec(xml)?.[1] });
    const body = new URLSearchParams({ SAMLResponse: samlResponse, RelayState: sent.get('RelayState') ?? '' });
    return browser.open('/saml/acs', { method: 'POST', body });
  }

  test('a user without a password signs in by single sign-on, reads the ticket, replies and signs out', async () => {
    const world = await SamlWorld.open();
    const ticket = await openTicket(world.tenant, { title: 'Fax is slow' });
    const browser = new Browser(world.tenant.origin);
    const page = await openSso(browser, ticket, world.address());
    const away = await browser.open(linkTo(page, 'Continue to your organization'));
    expect(away.url).toContain(world.ssoUrl);
    const back = await finishSso(world, browser, away);
    expect([back.status, back.url]).toEqual([200, `${world.tenant.origin}${pathOf(ticket)}`]);
    expect(back.text).toContain('Fax is slow');
    const after = await browser.submit(back, { reply: 'Still slow.' }, pathOf(ticket));
    expect(after.text).toContain('Still slow.');
    await browser.submit(after, {}, '/sign-out');
    expect((await browser.open(pathOf(ticket))).url).toContain('/console/sign-in');
  });

  test('a single sign-on response from another browser or with an invalid code returns 401 and sets no cookie', async () => {
    const world = await SamlWorld.open();
    const ticket = await openTicket(world.tenant);
    const [victim, thief] = [new Browser(world.tenant.origin), new Browser(world.tenant.origin)];
    const away = await victim.open(linkTo(await openSso(victim, ticket, world.address()), 'Continue to your organization'));
    expect((await finishSso(world, thief, away)).status).toBe(401);
    const { headers } = await fetch(`${world.tenant.origin}/saml/console?to=${pathOf(ticket)}&code=none`, { redirect: 'manual' });
    expect(headers.get('set-cookie')).toBeNull();
    const elsewhere = await victim.open('/saml/console?to=https://evil.example.com/&code=none');
    expect([elsewhere.status, elsewhere.text.includes('evil')]).toEqual([401, false]);
  });

  test('the single sign-on page returns 404 for an email address whose domain has no single sign-on', async () => {
    const world = await SamlWorld.open();
    const ticket = await openTicket(world.tenant);
    const page = await openSso(new Browser(world.tenant.origin), ticket, 'grace@nowhere.example.org');
    expect([page.status, page.text.includes('There is no single sign-on for this address')]).toEqual([404, true]);
  });
});
