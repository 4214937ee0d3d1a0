import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser, Request } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { authorizeUrl, exchange, form, newVerifier, own, registered, statusWith, type TestClient } from '../oauth.setup.ts';
import { eventually, rig } from '../rig.ts';
import { describeInChromium, launchChromium } from '../support/chromium.ts';
import type { Tenant } from '../tenant.ts';
import { PASSWORD, type TestUser, tokenMailedTo, userOf } from '../users.setup.ts';

describeInChromium('sign-in pages in a browser', () => {
  let tenant: Tenant;
  let user: TestUser;
  let client: TestClient;
  let browser: Browser;
  let callback: string;
  const application = createServer((_, response) => response.end('Back in the application'));

  beforeAll(async () => {
    await new Promise<void>((resolve) => application.listen(0, '127.0.0.1', resolve));
    callback = `http://127.0.0.1:${(application.address() as AddressInfo).port}/callback`;
    tenant = await (await rig()).organization();
    user = await userOf(tenant, 'admin');
    client = await registered(tenant, { redirect_uris: [callback] });
    browser = await launchChromium();
  });
  afterAll(async () => {
    await browser?.close();
    application.close();
    application.closeAllConnections();
  });

  /** Opens a browser window and collects its script errors and violations of the content security policy. */
  async function opened(options: { javaScriptEnabled?: boolean } = {}) {
    const context = await browser.newContext({ ...options, baseURL: tenant.origin });
    const page = await context.newPage();
    const complaints: string[] = [];
    page.on('console', (message) => {
      const text = message.text();
      // a test that types before the browser has focused the first field is no fault of the page
      if (/policy|violat|blocked/i.test(text) && !text.startsWith('Autofocus processing')) complaints.push(text);
    });
    page.on('pageerror', ({ message }) => complaints.push(message));
    return { page, complaints, [Symbol.asyncDispose]: () => context.close() };
  }

  test.each([
    ['with JavaScript', true],
    ['without JavaScript', false],
  ])('a user signs in and consents in a browser %s, and the application gets a valid token', async (_, javaScriptEnabled) => {
    await using window = await opened({ javaScriptEnabled });
    const { page } = window;
    const verifier = newVerifier();
    const extra = { redirect_uri: callback };
    await page.goto(authorizeUrl(tenant.origin, { client, verifier, extra, scope: 'services.read support.read' }));
    expect(await page.title()).toBe('Sign in · Telecom platform');

    await page.getByLabel('E-mail').fill(user.email);
    await page.getByLabel('Password').fill('not the password');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('alert').getByText('Invalid e-mail address').waitFor();
    await page.getByLabel('Password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Sign in' }).click();

    await page.getByRole('heading', { name: 'Allow Test app to act for you?' }).waitFor();
    await page.getByText('See support tickets').waitFor();
    await page.getByRole('button', { name: 'Allow' }).click();
    await page.getByText('Back in the application').waitFor();

    const { searchParams } = new URL(page.url());
    expect(searchParams.get('state')).toBe('the-state');
    const { body } = await exchange(tenant.origin, client, searchParams.get('code') ?? '', verifier, extra);
    expect(await statusWith(tenant, body.access_token)).toBe(200);
    expect(window.complaints).toEqual([]);
  });

  test('a user who denies consent in a browser is redirected to the application with the error access_denied', async () => {
    await using window = await opened();
    const { page } = window;
    await page.goto(authorizeUrl(tenant.origin, { client, extra: { redirect_uri: callback } }));
    await page.getByLabel('E-mail').fill(user.email);
    await page.getByLabel('Password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('button', { name: 'Deny' }).click();
    await page.getByText('Back in the application').waitFor();
    expect(new URL(page.url()).searchParams.get('error')).toBe('access_denied');
    expect(window.complaints).toEqual([]);
  });

  test('a user can connect a device by opening its link in a browser', async () => {
    await using window = await opened();
    const { page } = window;
    const device = (await form(tenant.origin, '/oauth/device_authorization', { client_id: client.id, scope: 'services.read' })).body;
    await page.goto(device.verification_uri_complete);
    expect(await page.getByLabel('Code').inputValue()).toBe(device.user_code);
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByRole('button', { name: 'Yes, continue' }).click();
    await page.getByLabel('E-mail').fill(user.email);
    await page.getByLabel('Password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('button', { name: 'Allow' }).click();
    await page.getByRole('heading', { name: 'Your device is connected' }).waitFor();
    const fields = { grant_type: 'urn:ietf:params:oauth:grant-type:device_code', device_code: device.device_code, ...own(client) };
    const { body } = await form(tenant.origin, '/oauth/token', fields);
    expect(await statusWith(tenant, body.access_token)).toBe(200);
    expect(window.complaints).toEqual([]);
  });

  test('a user can set a new password in a browser by opening the link of the email', async () => {
    await using window = await opened();
    const { page } = window;
    const forgetful = await userOf(tenant, 'member');
    await page.goto('/password/forgot');
    await page.getByLabel('E-mail').fill(forgetful.email);
    await page.getByRole('button', { name: 'Send the link' }).click();
    await page.getByRole('heading', { name: 'Check your e-mail' }).waitFor();
    await page.goto(`/password?token=${await tokenMailedTo(forgetful.email, /new password/)}`);
    await page.getByLabel('New password').fill('a new long passphrase');
    await page.getByRole('button', { name: 'Save password' }).click();
    await page.getByRole('heading', { name: 'Your password is saved' }).waitFor();
    expect(window.complaints).toEqual([]);
  });

  test('a browser shows no sign-in or consent page in a frame of another site and sends no platform cookie for the frame', async () => {
    await using window = await opened();
    const { page } = window;
    const cookiesFor = async (request: Request) => (await request.allHeaders()).cookie ?? '';
    await page.goto(authorizeUrl(tenant.origin, { client, extra: { redirect_uri: callback } }));
    await page.getByLabel('E-mail').fill(user.email);
    await page.getByLabel('Password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: /to act for you/ }).waitFor();
    const consentUrl = page.url();
    const own = page.waitForRequest(consentUrl);
    await page.goto(consentUrl);
    expect(await cookiesFor(await own), 'a request of the window itself has the cookies').toContain('oauth_interaction=');
    const session = page.waitForRequest((request) => request.url().includes('/oauth/logout'));
    await page.goto('/oauth/logout');
    expect(await cookiesFor(await session)).toContain('oauth_session=');

    const authorize = authorizeUrl(tenant.origin, { client, extra: { redirect_uri: callback } });
    const pages = [authorize, consentUrl, `${tenant.origin}/oauth/logout`, `${tenant.origin}/password/forgot`];
    // a site is a host without its port: for the browser, localhost is another site than 127.0.0.1
    const otherSite = callback.replace('127.0.0.1', 'localhost');
    await page.goto(otherSite);
    for (const url of pages) {
      window.complaints.length = 0;
      const sent: Request[] = [];
      const collect = (request: Request) => void (request.url().startsWith(tenant.origin) && sent.push(request));
      page.on('request', collect);
      const loaded = page.evaluate(
        (src) =>
          new Promise<void>((resolve) => {
            const frame = Object.assign(document.createElement('iframe'), { src });
            frame.addEventListener('load', () => resolve());
            document.body.replaceChildren(frame);
          }),
        url,
      );
      await eventually(() => window.complaints.some((text) => text.includes('frame-ancestors')));
      await loaded;
      page.off('request', collect);
      expect(sent.map((request) => request.url())).toContain(url);
      for (const request of sent) expect(await cookiesFor(request), request.url()).toBe('');
      const frame = await eventually(() => page.frames().find((one) => one.url().startsWith('chrome-error:')));
      expect(await frame.content()).not.toMatch(/<form|Sign in/);
      expect(page.frames()).toHaveLength(2);
    }
  });
});
