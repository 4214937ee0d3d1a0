import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { request } from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { type Rig, start } from '../rig.ts';
import { type Issued, issue } from '../support/certificates.ts';
import { register, SecureClient, serverFiles } from '../support/tls.ts';
import { type Json, Tenant } from '../tenant.ts';

const HEADER = 'x-client-cert';

let behindProxy: Rig;
let reachedByAnyone: Rig;
beforeAll(async () => {
  behindProxy = await start({ CLIENT_CERT_HEADER: 'X-Client-Cert', TRUSTED_PROXIES: '127.0.0.0/8,::1' });
  reachedByAnyone = await start({ CLIENT_CERT_HEADER: HEADER, TRUSTED_PROXIES: '192.0.2.1' });
});
afterAll(async () => {
  await behindProxy.close();
  await reachedByAnyone.close();
});

/** A certificate that an organization of this platform registered. */
async function registered({ origin, organization }: Rig): Promise<Issued> {
  const { organizationId: id, apiKey } = await organization();
  const issuedCert = await issue();
  const body = { certificate: issuedCert.pem, name: 'Test', permissions: ['accounts:read'] };
  expect((await new Tenant(origin, id, apiKey).rest('POST', '/auth/certificates', { body })).status).toBe(201);
  return issuedCert;
}

async function requestWith({ origin }: Rig, headers: Record<string, string>): Promise<{ status: number; body: Json }> {
  const response = await fetch(`${origin}/v1/accounts`, { headers });
  return { status: response.status, body: await response.json() };
}

const base64 = (pem: string): string => new X509Certificate(pem).raw.toString('base64');

test.each([
  ['nginx and AWS: PEM, URL-encoded', ({ pem }: Issued) => encodeURIComponent(pem)],
  ['Traefik and HAProxy: DER in base64', ({ pem }: Issued) => base64(pem)],
  ['Traefik with the chain', ({ pem }: Issued, other: Issued) => `${base64(pem)},${base64(other.pem)}`],
  ['AWS with the chain', ({ pem }: Issued, other: Issued) => encodeURIComponent(`${pem}${other.pem}`)],
  ['RFC 9440', ({ pem }: Issued) => `:${base64(pem)}:`],
  ['Envoy', ({ pem }: Issued) => `Hash=1a2b;Cert="${encodeURIComponent(pem)}";Subject="CN=client"`],
])('a certificate header of a trusted proxy is accepted in the format of %s', async (_, written) => {
  const issuedCert = await registered(behindProxy);
  expect(await requestWith(behindProxy, { [HEADER]: written(issuedCert, await issue()) })).toMatchObject({ status: 200 });
});

test('a certificate header from an untrusted IP address is ignored and returns 401, even with a forged X-Forwarded-For', async () => {
  const issuedCert = await registered(reachedByAnyone);
  const forged = { [HEADER]: encodeURIComponent(issuedCert.pem), 'x-forwarded-for': '192.0.2.1' };
  for (const headers of [forged, { [HEADER]: 'nonsense' }]) {
    const { status, body } = await requestWith(reachedByAnyone, headers);
    expect(status).toBe(401);
    expect(body.error.message).toMatch(/API key/);
  }
});

test('a certificate in a header other than the configured header is ignored, and the request returns 401', async () => {
  const issuedCert = await registered(behindProxy);
  expect(await requestWith(behindProxy, { 'client-cert': encodeURIComponent(issuedCert.pem) })).toMatchObject({ status: 401 });
});

test.each(['nonsense', '%zz', encodeURIComponent('-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----')])(
  'a certificate header that contains no certificate returns 401 INVALID_CREDENTIALS: %s',
  async (value) => {
    const { status, body } = await requestWith(behindProxy, { [HEADER]: value });
    expect(status).toBe(401);
    expect(body.error).toMatchObject({ code: 'INVALID_CREDENTIALS', message: `${HEADER} from the proxy does not contain a certificate.` });
  },
);

test('an empty certificate header alone returns 401, and an API key is accepted despite an invalid certificate header', async () => {
  const { organizationId: id, apiKey } = await behindProxy.organization();
  expect(await requestWith(behindProxy, { [HEADER]: '' })).toMatchObject({ status: 401 });
  expect((await new Tenant(behindProxy.origin, id, apiKey).rest('GET', '/accounts', { headers: { [HEADER]: 'nonsense' } })).status).toBe(
    200,
  );
});

test('a request with two certificate headers returns 401, because the client may have sent one of them', async () => {
  const issuedCert = await registered(behindProxy);
  const value = encodeURIComponent(issuedCert.pem);
  // fetch would join the two values in one header
  const twice = request(`${behindProxy.origin}/v1/accounts`, { headers: { [HEADER]: [value, value] } }).end();
  const [response] = await once(twice, 'response');
  expect(response.statusCode).toBe(401);
  expect(JSON.parse((await response.toArray()).join('')).error.message).toMatch(/more than once/);
});

test('a request with a forwarded certificate that is not registered returns 401', async () => {
  const { status, body } = await requestWith(behindProxy, { [HEADER]: encodeURIComponent((await issue()).pem) });
  expect(status).toBe(401);
  expect(body.error.message).toMatch(/not registered/);
});

test('a WebSocket with a certificate header is accepted from a trusted proxy and closed with 4401 from any other sender', async () => {
  for (const [platform, expected] of [
    [behindProxy, 'connection_ack'],
    [reachedByAnyone, 4401],
  ] as const) {
    const issuedCert = await registered(platform);
    expect(await opened(platform.origin, { [HEADER]: encodeURIComponent(issuedCert.pem) })).toBe(expected);
  }
});

test("a request that a proxy sends without a certificate header returns 401, even if the proxy's certificate is registered", async () => {
  const proxied = await start({ ...(await serverFiles()), TRUSTED_PROXIES: '127.0.0.0/8,::1', CLIENT_CERT_HEADER: HEADER });
  const { apiKey } = await proxied.organization();
  const [proxy, client] = [await issue(), await issue()];
  await register(proxied.origin, apiKey, proxy.pem, ['accounts:read']);
  await register(proxied.origin, apiKey, client.pem, ['accounts:read']);
  const connection = new SecureClient(proxied.origin, proxy);
  expect((await connection.rest('GET', '/accounts')).status).toBe(401);
  expect((await connection.rest('GET', '/accounts', { headers: { [HEADER]: encodeURIComponent(client.pem) } })).status).toBe(200);
  await proxied.close();
});

/** Resolves with `connection_ack`, or with the close code of the socket. */
function opened(origin: string, headers: Record<string, string>): Promise<unknown> {
  const socket = new WebSocket(`${origin.replace('http', 'ws')}/graphql`, 'graphql-transport-ws', { headers });
  socket.once('open', () => socket.send(JSON.stringify({ type: 'connection_init' })));
  return new Promise((resolve) => {
    socket.once('message', (message) => {
      resolve(JSON.parse(String(message)).type);
      socket.close();
    });
    socket.once('close', resolve);
  });
}
