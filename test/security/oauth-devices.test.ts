import { beforeAll, describe, expect, test } from 'vitest';
import { form, own, registered, statusWith, type TestClient } from '../oauth.setup.ts';
import { rig } from '../rig.ts';
import { Browser } from '../support/browser.ts';
import type { Tenant } from '../tenant.ts';
import { type TestUser, userOf } from '../users.setup.ts';

let tenant: Tenant;
let user: TestUser;
let client: TestClient;
beforeAll(async () => {
  tenant = await (await rig()).organization();
  user = await userOf(tenant, 'admin');
  client = await registered(tenant);
});

const INVALID_GRANT = { status: 400, body: { error: 'invalid_grant' } };

describe('OAuth device flow', () => {
  const start = async (of: TestClient, fields: Record<string, string> = {}) =>
    form(tenant.origin, '/oauth/device_authorization', { client_id: of.id, scope: 'services.read', ...fields });
  const poll = (of: TestClient, deviceCode: string) =>
    form(tenant.origin, '/oauth/token', {
      grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
      device_code: deviceCode,
      ...own(of),
    });
  const confirmed = async (userCode: string, browser = new Browser(tenant.origin)) => {
    const page = await browser.submit(await browser.open('/oauth/device'), { user_code: userCode });
    expect(page.text).toContain('Is this your device?');
    return page;
  };

  test('a device gets tokens after the user enters its code, signs in and consents', async () => {
    const { status, body } = await start(client);
    expect(status, JSON.stringify(body)).toBe(200);
    expect(body).toEqual({
      device_code: expect.any(String),
      user_code: expect.stringMatching(/^[A-Z]{4}-[A-Z]{4}$/),
      verification_uri: `${tenant.origin}/oauth/device`,
      verification_uri_complete: `${tenant.origin}/oauth/device?user_code=${body.user_code}`,
      expires_in: 600,
    });
    expect(await poll(client, body.device_code)).toMatchObject({ status: 400, body: { error: 'authorization_pending' } });

    const browser = new Browser(tenant.origin);
    const login = await browser.submit(await confirmed(body.user_code.toLowerCase().replace('-', ' '), browser), { confirm: 'yes' });
    const consent = await browser.submit(login, { email: user.email, password: 'correct horse battery' }, '/login');
    const done = await browser.submit(consent, { decision: 'allow' }, '/consent');
    expect(done.text).toContain('Your device is connected');

    const tokens = (await poll(client, body.device_code)).body;
    expect(Object.keys(tokens).sort()).toEqual(['access_token', 'expires_in', 'refresh_token', 'scope', 'token_type']);
    expect(await statusWith(tenant, tokens.access_token)).toBe(200);
    expect(await poll(client, body.device_code)).toMatchObject(INVALID_GRANT);
  });

  test('a polling device gets access_denied after the user cancels on the code page or the sign-in page', async () => {
    const { body } = await start(client);
    const browser = new Browser(tenant.origin);
    expect((await browser.submit(await confirmed(body.user_code, browser), { abort: 'yes' })).text).toContain('was not connected');
    expect(await poll(client, body.device_code)).toMatchObject({ status: 400, body: { error: 'access_denied' } });

    const again = (await start(client)).body;
    const login = await browser.submit(await confirmed(again.user_code, browser), { confirm: 'yes' });
    await browser.submit(login, {}, '/abort');
    expect(await poll(client, again.device_code)).toMatchObject({ status: 400, body: { error: 'access_denied' } });
  });

  test.each(['/oauth/device', '/oauth/device/none'])(
    'the device page %s redirects to /oauth/device if the browser has no session',
    async (path) => {
      const body = new URLSearchParams({ user_code: 'AAAA-AAAA', xsrf: 'none' });
      const init = path.endsWith('none') ? {} : { method: 'POST', body };
      const { status, headers } = await fetch(tenant.origin + path, { ...init, redirect: 'manual' });
      expect([status, headers.get('location')]).toEqual([303, '/oauth/device']);
    },
  );

  test('the device page shows an error for a user code that is wrong, used or expired', async () => {
    const { body } = await start(client);
    const browser = new Browser(tenant.origin);
    const wrong = await browser.submit(await browser.open('/oauth/device'), { user_code: 'AAAA-AAAA' });
    expect(wrong.text).toContain('This code is not valid');
    await browser.submit(await confirmed(body.user_code, browser), { abort: 'yes' });
    const used = await browser.submit(await browser.open('/oauth/device'), { user_code: body.user_code });
    expect(used.text).toContain('This code is not valid');

    const late = (await start(client)).body;
    await (await rig()).advance(601_000);
    expect((await browser.submit(await browser.open('/oauth/device'), { user_code: late.user_code })).text).toContain('is not valid');
    expect((await poll(client, late.device_code)).body.error).toMatch(/invalid_grant|expired_token/);
  });

  test('the device page with a code in its URL requires confirmation and returns 400 to a forged form', async () => {
    const { body } = await start(client);
    const browser = new Browser(tenant.origin);
    const page = await browser.open(body.verification_uri_complete);
    expect(page.text).toContain(`value="${body.user_code}"`);
    expect(page.text).not.toContain('<script');
    const forged = await browser.open('/oauth/device', {
      method: 'POST',
      body: new URLSearchParams({ user_code: body.user_code, confirm: 'yes', xsrf: 'guessed' }),
    });
    expect(forged.status).toBe(400);
    expect((await poll(client, body.device_code)).body.error).toBe('authorization_pending');
  });

  test('device requests with a missing or wrong client secret return 401, and a device code of another client returns invalid_grant', async () => {
    const { body } = await start(client);
    expect((await poll({ id: client.id, secret: undefined }, body.device_code)).status).toBe(401);
    expect(await poll(await registered(tenant), body.device_code)).toMatchObject(INVALID_GRANT);
    expect((await start({ ...client, id: 'client_none' })).status).toBe(401);
    expect((await start(client, { client_secret: 'wrong' })).status).toBe(401);
    expect(await start(client, { scope: 'billing.read' })).toMatchObject({ status: 400, body: { error: 'invalid_scope' } });
  });
});
