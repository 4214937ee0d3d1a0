import { Agent } from 'node:https';
import type { TLSSocket } from 'node:tls';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { clock, eventually, type Rig, start } from '../rig.ts';
import { type Issued, issue } from '../support/certificates.ts';
import { register, SecureClient, serverFiles } from '../support/tls.ts';
import type { Json } from '../tenant.ts';

const DAY_MS = 24 * 3600 * 1000;
const ACCOUNTS = '{ accounts { pageInfo { total } } }';

let platform: Rig;
beforeAll(async () => {
  platform = await start(await serverFiles());
});
afterAll(() => platform.close());

let apiKey: string;
beforeEach(async () => {
  apiKey = (await platform.organization()).apiKey;
});

const asAdministrator = () => ({ 'x-api-key': apiKey });
const clientWith = (issuedCert?: Issued): SecureClient => new SecureClient(platform.origin, issuedCert);
const status = async (issuedCert: Issued | undefined, path = '/accounts') => (await clientWith(issuedCert).rest('GET', path)).status;
const refusal = async (issuedCert?: Issued) => {
  const response = await clientWith(issuedCert).rest('GET', '/accounts');
  return { status: response.status, code: response.body.error?.code, message: response.body.error?.message };
};

async function registered(permissions = ['accounts:read'], wanted = {}) {
  const issuedCert = await issue(wanted);
  const { id } = await register(platform.origin, apiKey, issuedCert.pem, permissions);
  return { issuedCert, id };
}

describe('registered client certificates', () => {
  test('a registered certificate authenticates over REST, GraphQL and WebSocket, and its use is counted', async () => {
    const { issuedCert, id } = await registered();
    const name = { name: 'Hudson Robotics', email: 'it@hudson.example' };
    await clientWith().rest('POST', '/accounts', { body: name, headers: asAdministrator() });

    expect((await clientWith(issuedCert).rest('GET', '/accounts')).body.data).toMatchObject([name]);
    expect((await clientWith(issuedCert).graphql(ACCOUNTS)).body.data.accounts.pageInfo.total).toBe(1);
    expect((await clientWith(issuedCert).socket(ACCOUNTS)).data.accounts.pageInfo.total).toBe(1);
    const used = await eventually(async () => {
      const { body } = await clientWith().rest('GET', `/auth/certificates/${id}`, { headers: asAdministrator() });
      return body.data.usage_count === 3 && body.data;
    });
    expect(used.last_used).toMatch(/Z$/);
  });

  test('a caller with a certificate gets 403 for operations that the permissions of the certificate do not include', async () => {
    const { issuedCert } = await registered(['accounts:read']);
    const { status, body } = await clientWith(issuedCert).rest('GET', '/auth/certificates');
    expect(status).toBe(403);
    expect(body.error).toMatchObject({ code: 'INSUFFICIENT_PERMISSIONS', details: { required: 'credentials:read' } });
    expect((await clientWith(issuedCert).graphql('{ certificates { nodes { id } } }')).body.errors[0].extensions.code).toBe(
      'INSUFFICIENT_PERMISSIONS',
    );
  });

  test("creating an API key with permissions that the caller's certificate lacks returns an error with the required permission", async () => {
    const { issuedCert } = await registered(['credentials:create', 'accounts:read']);
    const body = { name: 'More', permissions: ['billing:read'] };
    expect((await clientWith(issuedCert).rest('POST', '/auth/api-keys', { body })).body.error.details.required).toBe('billing:read');
  });

  test('an API key takes precedence over a certificate, and an invalid API key returns 401 despite a valid certificate', async () => {
    const { issuedCert } = await registered(['accounts:read']);
    expect((await clientWith(issuedCert).rest('GET', '/auth/certificates', { headers: asAdministrator() })).status).toBe(200);
    const wrong = await clientWith(issuedCert).rest('GET', '/accounts', { headers: { authorization: 'Bearer sk_live_none' } });
    expect(wrong.status).toBe(401);
  });

  test('a revoked certificate immediately returns 401, even on an open connection', async () => {
    const { issuedCert, id } = await registered();
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const client = new SecureClient(platform.origin, issuedCert, { agent });
    expect((await client.rest('GET', '/accounts')).status).toBe(200);
    await clientWith().rest('DELETE', `/auth/certificates/${id}`, { headers: asAdministrator() });
    expect((await client.rest('GET', '/accounts')).body.error).toMatchObject({
      code: 'INVALID_CREDENTIALS',
      message: expect.stringMatching(/revoked/),
    });
    agent.destroy();
    expect(await refusal(issuedCert)).toMatchObject({
      status: 401,
      code: 'INVALID_CREDENTIALS',
      message: expect.stringMatching(/revoked/),
    });
    await expect(clientWith(issuedCert).socket(ACCOUNTS)).rejects.toMatchObject({ code: 4401 });
  });

  test.each(['TLSv1.2', 'TLSv1.3'] as const)(
    'a client certificate also authenticates a connection that resumes a %s session',
    async (version) => {
      const { issuedCert } = await registered();
      const agent = new Agent({ keepAlive: false, maxCachedSessions: 10 });
      const client = new SecureClient(platform.origin, issuedCert, { agent, minVersion: version, maxVersion: version });
      const resumed: boolean[] = [];
      const create = agent.createConnection.bind(agent);
      agent.createConnection = (...args) => {
        const socket = create(...args) as TLSSocket;
        socket.once('secureConnect', () => resumed.push(socket.isSessionReused()));
        return socket;
      };
      expect((await client.rest('GET', '/accounts')).status).toBe(200);
      expect((await client.rest('GET', '/accounts')).status).toBe(200);
      expect(resumed).toEqual([false, true]);
    },
  );
});

test('the audit log records the registration, the first use and the revocation of a certificate', async () => {
  const { issuedCert, id } = await registered();
  await status(issuedCert);
  await clientWith().rest('DELETE', `/auth/certificates/${id}`, { headers: asAdministrator() });
  await clientWith().rest('DELETE', `/auth/certificates/${id}`, { headers: asAdministrator() });
  const records = await eventually(async () => {
    const { body } = await clientWith().rest('GET', '/auth/audit', { headers: asAdministrator() });
    const about = (body.data as Json[]).filter(({ client_id: by, reason }) => by === id || reason === id);
    return about.length >= 3 && about;
  });
  expect(records.map(({ event_type: type }: Json) => type).toSorted()).toEqual([
    'authentication_success',
    'certificate_registered',
    'certificate_revoked',
  ]);
  const success = records.find(({ event_type: type }: Json) => type === 'authentication_success');
  expect(success).toMatchObject({ client_id: id, user_id: null, authentication_method: 'certificate', token_type: 'certificate' });
  const revocation = records.find(({ event_type: type }: Json) => type === 'certificate_revoked');
  expect(revocation).toMatchObject({ client_id: expect.stringMatching(/^ak_/), ip_address: expect.stringMatching(/127\.0\.0\.1/) });
});

describe('refused client certificates', () => {
  test('a connection without a certificate is accepted, but its requests return 401 and its WebSockets close with 4401', async () => {
    expect(await refusal()).toMatchObject({ status: 401, code: 'INVALID_CREDENTIALS' });
    await expect(clientWith().socket(ACCOUNTS)).rejects.toMatchObject({ code: 4401 });
  });

  test('requests with an unregistered certificate return 401 until the certificate is registered', async () => {
    const issuedCert = await issue();
    expect(await refusal(issuedCert)).toMatchObject({
      status: 401,
      code: 'INVALID_CREDENTIALS',
      message: expect.stringMatching(/not registered/),
    });
    await expect(clientWith(issuedCert).socket(ACCOUNTS)).rejects.toMatchObject({ code: 4401 });
    await register(platform.origin, apiKey, issuedCert.pem, ['accounts:read']);
    expect(await status(issuedCert)).toBe(200);
  });

  test('a certificate with the subject of a registered certificate but another key returns 401', async () => {
    const { issuedCert } = await registered(['accounts:read'], { subject: 'CN=twin' });
    expect(await status(await issue({ subject: 'CN=twin' }))).toBe(401);
    expect(await status(issuedCert)).toBe(200);
  });

  test('a registered certificate returns 401 before its validity period and 401 TOKEN_EXPIRED after it', async () => {
    const { issuedCert } = await registered(['accounts:read'], { validFromDays: 1, validToDays: 2 });
    expect(await refusal(issuedCert)).toMatchObject({
      status: 401,
      code: 'INVALID_CREDENTIALS',
      message: expect.stringMatching(/not valid before .+Z/),
    });
    clock.advance(1.5 * DAY_MS);
    expect(await status(issuedCert)).toBe(200);
    clock.advance(DAY_MS);
    expect(await refusal(issuedCert)).toMatchObject({ status: 401, code: 'TOKEN_EXPIRED' });
    await expect(clientWith(issuedCert).socket(ACCOUNTS)).rejects.toMatchObject({ code: 4401 });
  });
});

describe('client certificates in browsers', () => {
  test('a web page of another origin gets 401 over HTTP and 4401 over WebSocket, even with a registered certificate', async () => {
    const { issuedCert } = await registered(['accounts:*']);
    for (const origin of ['https://evil.example', 'null', platform.origin.replace(/\d+$/, '1')]) {
      const body = { name: 'Forged', email: 'it@evil.example' };
      const response = await clientWith(issuedCert).rest('POST', '/accounts', { body, headers: { origin } });
      expect(response.status, origin).toBe(401);
      expect(response.body.error.message).toMatch(/other origins/);
      await expect(clientWith(issuedCert).socket(ACCOUNTS, { origin })).rejects.toMatchObject({ code: 4401 });
    }
    expect((await clientWith(issuedCert).rest('GET', '/accounts')).body.data).toEqual([]);
  });

  test('a web page of the platform itself can call the API with a registered certificate', async () => {
    const { issuedCert } = await registered();
    const headers = { origin: platform.origin };
    expect((await clientWith(issuedCert).rest('GET', '/accounts', { headers })).status).toBe(200);
    expect((await clientWith(issuedCert).socket(ACCOUNTS, headers)).data.accounts.pageInfo.total).toBe(0);
  });
});

test('public operations return 200 without a certificate and with an unregistered certificate', async () => {
  const issuedCert = await issue();
  for (const client of [clientWith(), clientWith(issuedCert)]) expect((await client.rest('GET', '/openapi.json')).status).toBe(200);
});

test('a client that supports only TLS versions before 1.2 cannot connect', async () => {
  const old = new SecureClient(platform.origin, undefined, { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' });
  await expect(old.rest('GET', '/openapi.json')).rejects.toThrow(/protocol|version/i);
});
