import { createHmac } from 'node:crypto';
import { request } from 'node:http';
import { createClient } from 'graphql-ws';
import { beforeEach, describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { type Rig, rig } from '../rig.ts';
import { rows, rowsWith } from '../support/tables.ts';
import type { Json, Tenant } from '../tenant.ts';

let platform: Rig;
let tenant: Tenant;
beforeEach(async () => {
  platform = await rig();
  tenant = await platform.organization();
});

interface SigningKey {
  id: string;
  key: string;
  signing_secret: string;
}
const make = async (body: object = {}): Promise<SigningKey> => {
  const requested = { name: 'Signed', permissions: ['accounts:read', 'accounts:write', 'credentials:read'], ...body };
  return (await tenant.rest('POST', '/auth/api-keys', { body: requested })).body.api_key;
};
const makeSignedOnly = () => make({ require_signature: true });

let made = 0;
/** The platform's current time with a unique fraction, so that no two signatures of these tests are equal. */
const timestamp = (offsetSeconds = 0): string =>
  `${Math.floor(platform.clock.now().getTime() / 1000) + offsetSeconds}.${String(++made).padStart(6, '0')}`;

interface Sent {
  method?: string;
  /** The path that is sent. It is also signed, unless `signed.path` is set. */
  path?: string;
  /** The signed values that differ from the sent values. */
  signed?: { method?: string; path?: string; secret?: string };
  at?: string;
  headers?: Record<string, string | undefined>;
  body?: string;
}

function signatureOf(secret: string, text: string): string {
  return createHmac('sha256', secret).update(text).digest('base64');
}

function headersFor({ key, signing_secret }: SigningKey, { method = 'GET', path = '/v1/accounts', signed = {}, at = timestamp() }: Sent) {
  const text = `${at}${signed.method ?? method}${signed.path ?? path}`;
  return { 'x-api-key': key, 'x-timestamp': at, 'x-signature': signatureOf(signed.secret ?? signing_secret, text) };
}

/** Sends a signed request with Node's http client, because fetch would rewrite the path. */
function send(key: SigningKey, sent: Sent = {}): Promise<{ status: number; body: Json }> {
  const { method = 'GET', path = '/v1/accounts', body } = sent;
  const given = { ...headersFor(key, sent), ...(body && { 'content-type': 'application/json' }), ...sent.headers };
  const headers = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as Record<string, string>;
  return new Promise((resolve, reject) => {
    const outgoing = request(`${platform.origin}`, { method, path, headers }, (response) => {
      let text = '';
      response.on('data', (chunk) => (text += chunk));
      response.on('end', () => resolve({ status: response.statusCode ?? 0, body: text ? JSON.parse(text) : undefined }));
    });
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}

const faultOf = ({ status, body }: { status: number; body: Json }) => [status, body.error?.code, body.error?.details.reason];
const refused = (reason: string) => [401, 'INVALID_SIGNATURE', reason];

describe('accepted signatures', () => {
  test.each([
    ['to a list', { path: '/v1/accounts' }],
    ['with a query, which is signed as it was sent', { path: '/v1/accounts?per_page=5&sort=name%3Aasc' }],
    ['by an alias, with the path that the client sent', { path: '/api/v1/accounts?page=1' }],
    ['with HEAD', { method: 'HEAD' }],
    ['to GraphQL', { method: 'POST', path: '/graphql', body: JSON.stringify({ query: '{ accounts { pageInfo { total } } }' }) }],
    ['to GraphQL by GET', { path: `/graphql?query=${encodeURIComponent('{ organization { id } }')}` }],
  ] satisfies [string, Sent][])('a signed request %s returns 200', async (_, sent) => {
    expect((await send(await makeSignedOnly(), sent)).status).toBe(200);
  });

  test('a signed request of a key without required signatures returns 200 and runs one SQL statement more than an unsigned request', async () => {
    const key = await make();
    await send(key);
    const unsigned = await platform.statements(() => send(key, { headers: { 'x-signature': undefined, 'x-timestamp': undefined } }));
    const signed = await platform.statements(() => send(key));
    expect(signed.length).toBe(unsigned.length + 1);
  });

  test.each([[-290], [290]])('a signed request with a timestamp %s s from the server time returns 200', async (offset) => {
    expect((await send(await makeSignedOnly(), { at: timestamp(offset) })).status).toBe(200);
  });
});

describe('refused signatures', () => {
  const NONE = '0'.repeat(43);
  test.each([
    ['mismatch', 'of another method', { signed: { method: 'POST' } }],
    ['mismatch', 'of another path', { signed: { path: '/v1/accounts/acc_1' } }],
    ['mismatch', 'of the path without its query', { path: '/v1/accounts?page=1', signed: { path: '/v1/accounts' } }],
    ['mismatch', 'of the path that an alias is rewritten to', { path: '/api/v1/accounts', signed: { path: '/v1/accounts' } }],
    ['mismatch', 'of GET, sent with HEAD', { method: 'HEAD', signed: { method: 'GET' } }],
    ['mismatch', 'with another secret', { signed: { secret: 'sgn_other' } }],
    ['mismatch', 'that is random', { headers: { 'x-signature': `${NONE}=` } }],
    ['malformed', 'in hexadecimal', { headers: { 'x-signature': 'ab'.repeat(32) } }],
    ['malformed', 'that is empty', { headers: { 'x-signature': '' } }],
    ['malformed', 'that is too long', { headers: { 'x-signature': `${NONE}${NONE}=` } }],
    ['malformed', 'without a timestamp', { headers: { 'x-timestamp': undefined } }],
    ['malformed', 'with a date as timestamp', { headers: { 'x-timestamp': '2026-01-01T00:00:00Z' } }],
    ['malformed', 'with a timestamp below zero', { headers: { 'x-timestamp': '-5' } }],
  ] satisfies [string, string, Sent][])(
    'a request returns 401 INVALID_SIGNATURE with the reason %s for a signature %s',
    async (reason, _, sent: Sent) => {
      for (const key of [await make(), await makeSignedOnly()]) {
        const response = await send(key, sent);
        if (sent.method === 'HEAD') expect(response.status).toBe(401);
        else expect(faultOf(response)).toEqual(refused(reason));
      }
    },
  );

  test.each([[-301], [302], [-1_000_000]])(
    'a signed request with a timestamp %s s from the server time returns 401, and the error contains the server time',
    async (offset) => {
      const response = await send(await make(), { at: timestamp(offset) });
      expect(faultOf(response)).toEqual(refused('timestamp'));
      const { server_time } = response.body.error.details;
      expect(Math.abs(server_time - platform.clock.now().getTime() / 1000)).toBeLessThan(60);
    },
  );

  test('a request with a signature that was used before returns 401 with the reason replayed, even in another Base64 form', async () => {
    const key = await makeSignedOnly();
    const at = timestamp();
    expect((await send(key, { at })).status).toBe(200);
    expect(faultOf(await send(key, { at }))).toEqual(refused('replayed'));
    const { 'x-signature': signature } = headersFor(key, { at });
    // two bits of the last character before = are not part of the decoded bytes
    const respelled = signature.replace(/.=$/, (last) => `${ALPHABET[ALPHABET.indexOf(last[0] as string) ^ 1]}=`);
    expect(Buffer.from(respelled, 'base64')).toEqual(Buffer.from(signature, 'base64'));
    expect(faultOf(await send(key, { at, headers: { 'x-signature': respelled } }))).toEqual(refused('replayed'));
  });

  test('exactly one of eight concurrent requests with the same signature is accepted, and the others return 401', async () => {
    const key = await makeSignedOnly();
    const at = timestamp();
    const responses = await Promise.all(Array.from({ length: 8 }, () => send(key, { at })));
    expect(responses.map(({ status }) => status).toSorted()).toEqual([200, ...Array<number>(7).fill(401)]);
  });

  test('an unsigned request of a key that requires signatures returns 401 INVALID_SIGNATURE with the reason missing', async () => {
    const response = await send(await makeSignedOnly(), { headers: { 'x-signature': undefined } });
    expect(faultOf(response)).toEqual(refused('missing'));
  });

  test('a signed request whose key has no signing secret returns 401 with the reason not_signable until the key is rotated', async () => {
    const [{ id }] = (await tenant.rest('GET', '/auth/api-keys')).body.data;
    expect(faultOf(await send({ id, key: tenant.apiKey, signing_secret: 'none' }))).toEqual(refused('not_signable'));
    const { data } = (await tenant.rest('POST', `/auth/api-keys/${id}/rotate`)).body;
    expect((await send(data)).status).toBe(200);
  });

  test('the error for a wrong signature does not contain the correct signature', async () => {
    const key = await make();
    const at = timestamp();
    const right = headersFor(key, { at })['x-signature'];
    const response = await send(key, { at, signed: { secret: 'wrong' } });
    expect(JSON.stringify(response.body)).not.toContain(right);
  });

  test('a GraphQL request with a wrong signature returns 401 INVALID_SIGNATURE with the reason in the error extensions', async () => {
    const { status, body } = await send(await makeSignedOnly(), {
      method: 'POST',
      path: '/graphql',
      body: '{"query":"{ __typename }"}',
      signed: { path: '/' },
    });
    expect(status).toBe(401);
    expect(body.errors[0].extensions).toMatchObject({ code: 'INVALID_SIGNATURE', details: { reason: 'mismatch' } });
  });
});

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

test('after a key rotation, the old and the new key are accepted only with their own signing secrets', async () => {
  const old = await makeSignedOnly();
  const { data: next } = (await tenant.rest('POST', `/auth/api-keys/${old.id}/rotate`, { body: { grace_period: 600 } })).body;
  expect((await send(old)).status).toBe(200);
  expect((await send(next)).status).toBe(200);
  expect(faultOf(await send(next, { signed: { secret: old.signing_secret } }))).toEqual(refused('mismatch'));
  expect(faultOf(await send(old, { signed: { secret: next.signing_secret } }))).toEqual(refused('mismatch'));
});

test('the signing secret of a key is stored encrypted and is not in the response of GET /auth/api-keys/{id}', async () => {
  const { id, signing_secret: secret } = await make();
  expect(await rowsWith('identity.api_key', secret)).toBe(0);
  const [row] = await (await rows()).query<{ signing_secret: string }>('select signing_secret from identity.api_key where id = $1', [id]);
  expect(row?.signing_secret).toMatch(/^v1\./);
  expect(JSON.stringify((await tenant.rest('GET', `/auth/api-keys/${id}`)).body)).not.toContain(secret);
});

describe('signed WebSocket connections', () => {
  const query = '{ organization { id } }';
  const ask = async (params: Record<string, string>): Promise<Json> => {
    const client = createClient({
      url: `${platform.origin.replace('http', 'ws')}/graphql`,
      webSocketImpl: WebSocket,
      connectionParams: params,
      retryAttempts: 0,
    });
    try {
      return (await client.iterate({ query }).next()).value;
    } catch (closed) {
      return closed;
    } finally {
      await client.dispose();
    }
  };

  test('a WebSocket of a key that requires signatures needs a new signature in connection_init or is closed with 4401', async () => {
    const key = await makeSignedOnly();
    const signed = headersFor(key, { path: '/graphql' });
    expect((await ask(signed)).data.organization.id).toBe(tenant.organizationId);
    expect(await ask(signed)).toMatchObject({ code: 4401, reason: expect.stringContaining('INVALID_SIGNATURE') });
    expect(await ask({ apiKey: key.key })).toMatchObject({ code: 4401, reason: expect.stringContaining('INVALID_SIGNATURE') });
  });
});
