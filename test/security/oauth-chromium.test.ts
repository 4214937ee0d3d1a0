import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser } from 'playwright-core';
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
    page.on('console', (message) => /policy|violat|blocked/i.test(message.text()) && complaints.push(message.text()));
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

  test('a browser refuses to show a sign-in page in a frame of another site', async () => {
    await using window = await opened();
    const { page } = window;
    await page.goto(callback);
    await page.evaluate(
      (url) => {
        const frame = Object.assign(document.createElement('iframe'), { src: url });
        document.body.append(frame);
      },
      authorizeUrl(tenant.origin, { client, extra: { redirect_uri: callback } }),
    );
    await eventually(() => window.complaints.some((text) => text.includes('frame-ancestors')));
  });
});
