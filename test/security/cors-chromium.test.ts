import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { authorized, CALLBACK, newVerifier, registered } from '../oauth.setup.ts';
import { rig } from '../rig.ts';
import { describeInChromium, launchChromium } from '../support/chromium.ts';
import type { Tenant } from '../tenant.ts';
import { userOf } from '../users.setup.ts';

describeInChromium('pages of another origin in a browser', () => {
  let tenant: Tenant;
  let browser: Browser;
  let page: Page;
  let application: string;
  const server = createServer((_, response) => response.setHeader('content-type', 'text/html').end('<title>App</title>'));

  beforeAll(async () => {
    tenant = await (await rig()).organization();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    application = `http://localhost:${(server.address() as AddressInfo).port}`;
    browser = await launchChromium();
    page = await browser.newPage();
    await page.goto(application);
  });
  afterAll(async () => {
    await browser?.close();
    server.close();
    server.closeAllConnections();
  });

  /** Calls the API from the page and returns the parts of the response that the page can read. */
  const call = (path: string, init: { method?: string; headers?: Record<string, string>; body?: string } = {}) =>
    page.evaluate(
      async ([url, options]) => {
        const response = await fetch(url, options);
        const text = await response.text();
        return { status: response.status, headers: Object.fromEntries(response.headers), body: text ? JSON.parse(text) : undefined };
      },
      [tenant.origin + path, init] as const,
    );

  test('a page of another origin can read and change records and can read the headers and errors of each response', async () => {
    const key = { authorization: `Bearer ${tenant.apiKey}` };
    const agent = { name: 'Ada', email: 'ada@example.com', specialization: 'voice' };
    const json = { ...key, 'content-type': 'application/json', 'idempotency-key': 'from-a-page', 'x-trace-of-our-own': '1' };
    const created = await call('/v1/support/agents', { method: 'POST', headers: json, body: JSON.stringify(agent) });
    expect(created.status).toBe(201);

    const path = `/v1/support/agents/${created.body.data.id}`;
    const read = await call(path, { headers: { ...key, 'api-version': '1.2.3' } });
    expect(read.headers).toMatchObject({
      etag: expect.stringMatching(/^"/),
      'x-request-id': expect.stringMatching(/^req_/),
      'x-ratelimit-remaining': expect.any(String),
      ratelimit: expect.any(String),
    });
    const changed = await call(path, {
      method: 'PUT',
      headers: { ...json, 'if-match': read.headers.etag ?? '' },
      body: '{"name":"Ada Lovelace"}',
    });
    expect(changed.status).toBe(200);
    const stale = await call(path, { method: 'PUT', headers: { ...json, 'if-match': '"old"' }, body: '{"name":"Ada"}' });
    expect([stale.status, stale.body.error.code]).toEqual([409, 'STALE_RESOURCE']);
    expect((await call('/v1/nowhere', { headers: key })).body.error.code).toBe('ROUTE_NOT_FOUND');
    expect(await call(path)).toMatchObject({ status: 401, headers: { 'www-authenticate': 'Bearer' } });
    const query = JSON.stringify({ query: '{ agents { nodes { name } } }' });
    expect((await call('/graphql', { method: 'POST', headers: json, body: query })).status).toBe(200);
  });

  test('a page of another origin can follow events as a stream and over a WebSocket', async () => {
    const frames = await page.evaluate(
      async ([origin, key]) => {
        const response = await fetch(`${origin}/v1/events/stream`, { headers: { authorization: `Bearer ${key}` } });
        const { value } = (await response.body?.getReader().read()) ?? {};
        return new TextDecoder().decode(value);
      },
      [tenant.origin, tenant.apiKey] as const,
    );
    expect(frames).toContain('retry:');
    const acknowledged = await page.evaluate(
      ([origin, key]) =>
        new Promise<string>((resolve, reject) => {
          const socket = new WebSocket(`${origin.replace('http', 'ws')}/graphql`, 'graphql-transport-ws');
          socket.onopen = () => socket.send(JSON.stringify({ type: 'connection_init', payload: { authorization: `Bearer ${key}` } }));
          socket.onmessage = ({ data }) => resolve(String(data));
          socket.onerror = () => reject(new Error('The socket failed.'));
        }),
      [tenant.origin, tenant.apiKey] as const,
    );
    expect(JSON.parse(acknowledged).type).toBe('connection_ack');
  });

  test('a public OAuth client in a page exchanges its code for a token and calls the API with the token', async () => {
    const user = await userOf(tenant, 'admin');
    const client = await registered(tenant, { is_confidential: false, redirect_uris: [CALLBACK, `${application}/callback`] });
    const verifier = newVerifier();
    const code = (await authorized(user, { client, scope: 'services.read', verifier })).get('code') ?? '';
    const fields = { grant_type: 'authorization_code', code, redirect_uri: CALLBACK, code_verifier: verifier, client_id: client.id };
    const form = { method: 'POST', headers: { 'content-type': 'application/x-www-form-urlencoded' } };
    const { body, status } = await call('/oauth/token', { ...form, body: new URLSearchParams(fields).toString() });
    expect([status, body]).toMatchObject([200, { token_type: 'Bearer' }]);
    expect((await call('/v1/services', { headers: { authorization: `Bearer ${body.access_token}` } })).status).toBe(200);
    expect((await call('/.well-known/jwks.json')).status).toBe(200);

    const elsewhere = await registered(tenant, { is_confidential: false, redirect_uris: [CALLBACK] });
    const refused = call('/oauth/token', { ...form, body: new URLSearchParams({ ...fields, client_id: elsewhere.id }).toString() });
    await expect(refused).rejects.toThrow('Failed to fetch');
  });

  test('a page of another origin cannot fetch the OAuth and SAML pages, which use cookies', async () => {
    await expect(call('/oauth/device')).rejects.toThrow('Failed to fetch');
    await expect(call('/saml/sso')).rejects.toThrow('Failed to fetch');
  });
});
