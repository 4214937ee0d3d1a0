import { beforeAll, describe, expect, test } from 'vitest';
import { rig } from '../rig.ts';
import { rawRequest } from '../support/raw-request.ts';
import type { Tenant } from '../tenant.ts';

/** The Accept header that Chromium and Firefox send when a user opens an address. */
const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8';

let tenant: Tenant;
beforeAll(async () => {
  tenant = await (await rig()).organization();
});
const ask = (path: string, headers: Record<string, string> = {}, init: RequestInit = {}) =>
  fetch(tenant.origin + path, { redirect: 'manual', ...init, headers });

describe('errors in a browser', () => {
  test.each([
    ['/nowhere', 404],
    ['/docs/nowhere', 404],
    ['/saml/sso', 400],
    ['/saml/sso?connection=saml_none', 404],
    ['/saml/metadata?connection=saml_none', 404],
    ['/oauth/authorize/none', 400],
    ['/%zz', 404],
  ])("a request for %s with a browser's Accept header returns %i with an HTML error page", async (path, status) => {
    const response = await ask(path, { accept: BROWSER });
    const text = await response.text();
    expect([response.status, response.headers.get('content-type')]).toEqual([status, 'text/html; charset=utf-8']);
    expect(text).toContain('<!doctype html>');
    expect(text).toContain(String(response.headers.get('x-request-id')));
    expect(response.headers.get('content-security-policy')).toMatch(/default-src 'none'/);
  });

  test('a browser that posts an invalid SAML form receives an HTML error page with status 400', async () => {
    const form = new URLSearchParams({ SAMLResponse: 'nonsense' });
    const response = await ask('/saml/acs', { accept: BROWSER }, { method: 'POST', body: form });
    expect([response.status, response.headers.get('content-type')]).toEqual([400, 'text/html; charset=utf-8']);
  });

  test('a browser that navigates to an API path without credentials receives an HTML error page with status 401', async () => {
    // fetch cannot send a request with Sec-Fetch-Mode: navigate
    const response = await rawRequest(`${tenant.origin}/v1/support/tickets`, {
      headers: { accept: BROWSER, 'sec-fetch-mode': 'navigate' },
    });
    expect([response.status, response.headers['content-type']]).toEqual([401, 'text/html; charset=utf-8']);
  });

  test('an HTML error page escapes the requested path', async () => {
    const text = await (await ask('/%3Cscript%3Ealert(1)%3C/script%3E', { accept: BROWSER })).text();
    expect(text).not.toContain('<script');
  });
});

describe('errors for programs', () => {
  test.each([
    ['/nowhere', '*/*'],
    ['/nowhere', 'application/json'],
    ['/nowhere', 'application/json, text/html;q=0.9'],
    ['/saml/sso', undefined],
    // the default Accept header of Java's HttpURLConnection
    ['/v1/nowhere', 'text/html, image/gif, image/jpeg, *; q=.2, */*; q=.2'],
    ['/v1/nowhere', BROWSER],
  ])('a program that requests %s with the Accept header %s receives a JSON error', async (path, accept) => {
    const response = await ask(path, accept ? { accept } : {});
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(await response.json()).toMatchObject({ error: { code: expect.any(String) } });
  });

  test('a 404 response has Vary: Accept', async () => {
    expect((await ask('/nowhere')).headers.get('vary')).toMatch(/\bAccept\b/);
  });
});
