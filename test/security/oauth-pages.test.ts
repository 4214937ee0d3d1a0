import { beforeAll, describe, expect, test } from 'vitest';
import {
  authorizeUrl,
  CALLBACK,
  exchange,
  newVerifier,
  registered,
  signIn,
  statusWith,
  type TestClient,
  tokensOf,
} from '../oauth.setup.ts';
import { rig } from '../rig.ts';
import { Browser, type Page } from '../support/browser.ts';
import { type Json, Tenant } from '../tenant.ts';
import { login, PASSWORD, type TestUser, tokenMailedTo, userOf } from '../users.setup.ts';
import { confirmed, order, orderOf, totp, wrongTotp } from './mfa.setup.ts';

let tenant: Tenant;
let user: TestUser;
let client: TestClient;
beforeAll(async () => {
  tenant = await (await rig()).organization();
  user = await userOf(tenant, 'admin');
  client = await registered(tenant, { name: '<b>Evil & "Co"</b>' });
});

const start = (browser: Browser) => browser.open(authorizeUrl(tenant.origin, { client }));
const policyOf = ({ headers }: Page): string => headers.get('content-security-policy') ?? '';

describe('headers and content of sign-in pages', () => {
  test('sign-in pages forbid scripts, frames, external resources, caching and referrers', async () => {
    const browser = new Browser(tenant.origin);
    const loginPage = await start(browser);
    const consent = await signIn(browser, loginPage, user);
    const device = await browser.open('/oauth/device');
    const others = await Promise.all(
      ['/password/forgot', '/password?token=abc', '/password', '/oauth/logout', '/oauth/interaction/none', '/oauth/authorize'].map((path) =>
        new Browser(tenant.origin).open(path),
      ),
    );
    for (const page of [loginPage, consent, device, ...others]) {
      expect(policyOf(page), page.url).toMatch(
        /^default-src 'none'; style-src 'self'; form-action 'self'[^;]*; frame-ancestors 'none'; base-uri 'none'$/,
      );
      expect(page.headers.get('cache-control'), page.url).toBe('no-store');
      expect(page.headers.get('referrer-policy'), page.url).toBe('no-referrer');
      expect(page.headers.get('x-frame-options'), page.url).toBe('DENY');
      expect(page.text, page.url).toMatch(/^<!doctype html>\n<html lang="en">/);
      expect(page.text, page.url).not.toMatch(/<script|style=|onclick|https?:\/\//);
    }
    // browsers check the redirect after a form against the form-action policy of the page with the form
    for (const page of [loginPage, consent]) expect(policyOf(page)).toContain(`form-action 'self' ${new URL(CALLBACK).origin};`);
  });

  test('sign-in pages link to a stylesheet that the server returns as text/css', async () => {
    const [, path = ''] = /<link rel="stylesheet" href="([^"]+)">/.exec((await start(new Browser(tenant.origin))).text) ?? [];
    const { status, headers, text } = await new Browser(tenant.origin).open(path);
    expect([status, headers.get('content-type')]).toEqual([200, 'text/css; charset=utf-8']);
    expect(text).toContain('prefers-color-scheme: dark');
  });

  test('sign-in pages escape HTML in client names and typed email addresses', async () => {
    const browser = new Browser(tenant.origin);
    const page = await start(browser);
    expect(page.text).toContain('&lt;b&gt;Evil &amp; &quot;Co&quot;&lt;/b&gt;');
    const again = await browser.submit(page, { email: '"><img src=x>@example.com', password: 'x' }, '/login');
    expect(again.text).toContain('value="&quot;&gt;&lt;img src=x&gt;@example.com"');
  });
});

describe('sign-in page', () => {
  /** Opens the sign-in page and types wrong passwords. Returns the last page and the status of each attempt. */
  async function guessed(browser: Browser, tried: TestUser, attempts: number): Promise<{ page: Page; statuses: number[] }> {
    let page = await start(browser);
    const statuses: number[] = [];
    for (let attempt = 0; attempt < attempts; attempt++) {
      page = await signIn(browser, page, tried, 'wrong');
      statuses.push(page.status);
    }
    return { page, statuses };
  }

  test('a wrong password or an unknown email address shows the same error on the sign-in page', async () => {
    const browser = new Browser(tenant.origin);
    const page = await start(browser);
    const wrong = await signIn(browser, page, user, 'not the password');
    expect(wrong.status).toBe(401);
    expect(wrong.text).toContain('Invalid e-mail address or password.');
    expect(wrong.text).toContain(`value="${user.email}"`);
    const unknown = await signIn(browser, wrong, { email: 'nobody@example.com' });
    expect(unknown.text).toContain('Invalid e-mail address or password.');
    expect((await signIn(browser, unknown, user)).text).toContain('to act for you?');
  });

  test('after four wrong passwords, the sign-in page accepts the correct password and shows the consent page', async () => {
    const tried = await userOf(tenant, 'member');
    const browser = new Browser(tenant.origin);
    const { page, statuses } = await guessed(browser, tried, 4);
    expect(statuses).toEqual([401, 401, 401, 401]);
    expect((await signIn(browser, page, tried)).text).toContain('to act for you?');
  });

  test('after five wrong passwords, the sign-in page returns 429 for 15 minutes, even for the correct password', async () => {
    const { advance } = await rig();
    const tried = await userOf(tenant, 'member');
    const browser = new Browser(tenant.origin);
    const { page, statuses } = await guessed(browser, tried, 6);
    expect(statuses).toEqual([401, 401, 401, 401, 401, 429]);
    for (const waitedMs of [0, 15 * 60_000 - 30_000]) {
      await advance(waitedMs);
      const refused = await signIn(browser, page, tried);
      expect([refused.status, refused.text.includes('Too many attempts')]).toEqual([429, true]);
    }
    await advance(31_000);
    expect((await signIn(browser, page, tried)).text).toContain('to act for you?');
  });

  test('a suspended user who signs in gets a page with 403', async () => {
    const leaver = await userOf(tenant, 'member');
    await tenant.rest('PUT', `/accounts/${leaver.account.id}/users/${leaver.id}`, { body: { status: 'suspended' } });
    const browser = new Browser(tenant.origin);
    const page = await signIn(browser, await start(browser), leaver);
    expect(page.status).toBe(403);
    expect(page.text).toContain('This user is suspended');
  });

  test('cancelling the sign-in redirects to the application with the error access_denied', async () => {
    const browser = new Browser(tenant.origin);
    const { url } = await browser.submit(await start(browser), {}, '/abort');
    expect(Object.fromEntries(new URL(url).searchParams)).toMatchObject({ error: 'access_denied', state: 'the-state' });
  });

  test('the audit log records a password sign-in and a denied consent with user and client', async () => {
    const newUser = await userOf(tenant, 'member');
    const browser = new Browser(tenant.origin);
    await browser.submit(await signIn(browser, await start(browser), newUser), { decision: 'deny' }, '/consent');
    const { body } = await tenant.rest('GET', '/auth/audit?per_page=200');
    const records = body.data.filter((record: Json) => record.user_id === newUser.id && record.client_id === client.id);
    expect(records.map(({ event_type }: Json) => event_type)).toEqual(['consent_denied', 'authentication_success']);
    expect(records[1]).toMatchObject({ authentication_method: 'password', ip_address: '127.0.0.1' });
  });

  test('changing the password deletes the sign-in session in the browser but leaves OAuth access tokens valid', async () => {
    const forgetful = await userOf(tenant, 'member');
    const browser = new Browser(tenant.origin);
    const { access_token } = await tokensOf(forgetful, client, 'services.read', browser);
    const body = { current_password: PASSWORD, new_password: `${PASSWORD} staple` };
    expect((await forgetful.rest('POST', '/auth/password/change', { body })).status).toBe(200);
    expect((await start(browser)).text).toContain('<h1>Sign in</h1>');
    expect(await statusWith(tenant, access_token)).toBe(200);
  });

  test('an authorization request after signing out shows the sign-in page again', async () => {
    const browser = new Browser(tenant.origin);
    await tokensOf(user, client, 'services.read', browser);
    const done = await browser.submit(await browser.open('/oauth/logout'), { logout: 'yes' });
    expect(done.text).toContain('You are signed out');
    expect((await start(browser)).text).toContain('<h1>Sign in</h1>');
    expect((await new Browser(tenant.origin).open('/oauth/logout')).text).toContain('You are signed out');
  });
});

describe('forged forms', () => {
  test('a consent form without the cookie of its sign-in request returns 400', async () => {
    const browser = new Browser(tenant.origin);
    const consent = await signIn(browser, await start(browser), user);
    const forged = await new Browser(tenant.origin).submit(consent, { decision: 'allow' }, '/consent');
    expect(forged.status).toBe(400);
    expect(forged.text).toContain('opened in another browser');
    browser.forget();
    expect((await browser.submit(consent, { decision: 'allow' }, '/consent')).status).toBe(400);
  });

  test('a consent form with the cookie of another sign-in request returns 400', async () => {
    const [mine, theirs] = [new Browser(tenant.origin), new Browser(tenant.origin)];
    const consent = await signIn(mine, await start(mine), user);
    await signIn(theirs, await start(theirs), user);
    expect((await theirs.submit(consent, { decision: 'allow' }, '/consent')).status).toBe(400);
  });

  test.each(['cross-site', 'same-site'])('a form with the header Sec-Fetch-Site: %s returns 403', async (site) => {
    const body = new URLSearchParams({ email: user.email });
    for (const path of ['/password/forgot', '/password', '/oauth/device', '/oauth/logout/confirm', '/oauth/interaction/none/login']) {
      const page = await new Browser(tenant.origin).open(path, { method: 'POST', body, headers: { 'sec-fetch-site': site } });
      expect(page.status, path).toBe(403);
      expect(page.text, path).toContain('sent from another site');
    }
  });

  test('posting a forged form of a later sign-in step returns the page of the password step', async () => {
    const browser = new Browser(tenant.origin);
    const page = await start(browser);
    for (const step of ['/consent', '/second-factor', '/none']) {
      const action = new URL(page.url).pathname + step;
      const next = await browser.open(action, { method: 'POST', body: new URLSearchParams({ decision: 'allow', code: '123456' }) });
      expect(next.text, step).toContain('<h1>Sign in</h1>');
    }
  });
});

describe('second factor on the sign-in page', () => {
  test('a user with a second factor must enter a code to sign in, and the issued token needs no other code for 15 minutes', async () => {
    const { user: mfaUser, secret } = await confirmed(tenant, 'admin');
    const browser = new Browser(tenant.origin);
    const second = await signIn(browser, await start(browser), mfaUser);
    expect(second.text).toContain('<h1>Second step</h1>');
    expect(second.text).toContain('from your authenticator app');
    expect((await start(browser)).text).toContain('<h1>Sign in</h1>');

    const verifier = newVerifier();
    const page = await signIn(
      browser,
      await browser.open(authorizeUrl(tenant.origin, { client, scope: 'services.write', verifier })),
      mfaUser,
    );
    const wrong = await browser.submit(page, { code: await wrongTotp(secret) }, '/second-factor');
    expect([wrong.status, wrong.url.includes('/second-factor')]).toEqual([401, true]);
    expect(wrong.text).toMatch(/role="alert"/);
    const consent = await browser.submit(wrong, { code: ` ${await totp(secret)} ` }, '/second-factor');
    const { url } = await browser.submit(consent, { decision: 'allow' }, '/consent');
    const { body } = await exchange(tenant.origin, client, new URL(url).searchParams.get('code') ?? '', verifier);
    const caller = new Tenant(tenant.origin, tenant.organizationId, body.access_token);
    const wanted = await orderOf(tenant);
    expect((await order(caller, wanted)).status).toBe(201);
    await (await rig()).advance(15 * 60_000 + 1000);
    expect(await order(caller, wanted)).toMatchObject({ status: 403, body: { error: 'mfa_required' } });
  });

  /** Types wrong codes in the second step of a sign-in. Returns the last page and the status of each attempt. */
  async function guessedCodes(browser: Browser, { user: mfaUser, secret }: { user: TestUser; secret: string }, attempts: number) {
    let page = await signIn(browser, await start(browser), mfaUser);
    const statuses: number[] = [];
    for (let attempt = 0; attempt < attempts; attempt++) {
      page = await browser.submit(page, { code: await wrongTotp(secret) }, '/second-factor');
      statuses.push(page.status);
    }
    return { page, statuses };
  }
  const WRONG_CODES = Array.from({ length: 15 }, () => 401);

  test('after fourteen wrong codes, the second step of the sign-in page accepts the correct code and shows the consent page', async () => {
    const mfaUser = await confirmed(tenant, 'admin');
    const browser = new Browser(tenant.origin);
    const { page, statuses } = await guessedCodes(browser, mfaUser, 14);
    expect(statuses).toEqual(WRONG_CODES.slice(1));
    const next = await browser.submit(page, { code: await totp(mfaUser.secret) }, '/second-factor');
    expect(next.text).toContain('to act for you?');
  });

  test('after fifteen wrong codes, the second step of the sign-in page returns 429 for an hour, even for the correct code', async () => {
    const { advance } = await rig();
    const mfaUser = await confirmed(tenant, 'admin');
    const browser = new Browser(tenant.origin);
    const { page, statuses } = await guessedCodes(browser, mfaUser, 16);
    expect(statuses).toEqual([...WRONG_CODES, 429]);
    for (const waitedMs of [0, 3_600_000 - 30_000]) {
      await advance(waitedMs);
      expect((await browser.submit(page, { code: await totp(mfaUser.secret) }, '/second-factor')).status).toBe(429);
    }
    await advance(31_000);
    const { page: later } = await guessedCodes(browser, mfaUser, 0);
    const next = await browser.submit(later, { code: await totp(mfaUser.secret) }, '/second-factor');
    expect(next.text).toContain('to act for you?');
  });

  test('the second step of the sign-in page returns to the password step if the password changed after the first step', async () => {
    const { user: mfaUser, backupCodes } = await confirmed(tenant, 'admin');
    const browser = new Browser(tenant.origin);
    const page = await signIn(browser, await start(browser), mfaUser);
    expect(page.text).toContain('name="code"');
    const headers = { authorization: '' };
    await mfaUser.rest('POST', '/auth/password/reset', { body: { email: mfaUser.email }, headers });
    const body = { token: await tokenMailedTo(mfaUser.email, /new password/), password: 'another horse battery' };
    expect((await mfaUser.rest('POST', '/auth/password', { body, headers })).status).toBe(200);
    const again = await browser.submit(page, { code: backupCodes[0] ?? '' }, '/second-factor');
    expect(again.text).toContain('name="password"');
  });

  test('the second step of the sign-in page accepts a backup code', async () => {
    const { user: mfaUser, backupCodes } = await confirmed(tenant, 'admin');
    const browser = new Browser(tenant.origin);
    const page = await signIn(browser, await start(browser), mfaUser);
    expect((await browser.submit(page, { code: backupCodes[0] ?? '' }, '/second-factor')).text).toContain('to act for you?');
  });
});

describe('password pages', () => {
  test('the link of a password email can set a password only once and then returns 401', async () => {
    const forgetful = await userOf(tenant, 'member');
    const browser = new Browser(tenant.origin);
    const confirmation = await browser.submit(await browser.open('/password/forgot'), { email: forgetful.email });
    expect(confirmation.text).toContain('Check your e-mail');
    const token = await tokenMailedTo(forgetful.email, /new password/);
    const page = await browser.open(`/password?token=${token}`);
    const weak = await browser.submit(page, { password: 'short' });
    expect(weak.status).toBe(400);
    expect(weak.text).toContain('Your password must have 12 to 128 characters.');
    const saved = await browser.submit(weak, { password: 'a new long passphrase' });
    expect(saved.text).toContain('Your password is saved');
    expect((await login(tenant, forgetful.email, 'a new long passphrase')).status).toBe(200);

    const used = await browser.submit(page, { password: 'yet another passphrase' });
    expect(used.status).toBe(401);
    expect(used.text).toContain('This link is no longer valid');
    expect((await login(tenant, forgetful.email, 'yet another passphrase')).status).toBe(401);

    const late = await browser.open(`/password?token=${token}`);
    expect(late.status).toBe(401);
    expect(late.text, 'the page says so before the user types a password').toContain('This link is no longer valid');
  });

  test('requesting a password link shows the same page for an existing and an unknown email address', async () => {
    const browser = new Browser(tenant.origin);
    const ask = async (email: string) => (await browser.submit(await browser.open('/password/forgot'), { email })).text;
    expect(await ask(`nobody-${user.id}@example.com`)).toBe(await ask((await userOf(tenant, 'member')).email));
  });

  test('the password page without a token returns 400 and says that the link is no longer valid', async () => {
    const page = await new Browser(tenant.origin).open('/password');
    expect(page.status).toBe(400);
    expect(page.text).toContain('This link is no longer valid');
  });
});

test('submitting a sign-in page that was open for more than an hour returns 400', async () => {
  const browser = new Browser(tenant.origin);
  const page = await start(browser);
  await (await rig()).advance(3_601_000);
  const late = await signIn(browser, page, user);
  expect(late.status).toBe(400);
  expect(late.text).toContain('has expired or was opened in another browser');
});
