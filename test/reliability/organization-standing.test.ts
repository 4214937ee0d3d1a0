import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { describe, expect, onTestFinished, test } from 'vitest';
import { operator } from '../operator.setup.ts';
import { eventually, onRig, type Rig, start } from '../rig.ts';
import { issue } from '../support/certificates.ts';
import { ownDatabase } from '../support/own-database.ts';
import type { Tenant } from '../tenant.ts';

/** The maximum time after which a change by an operator applies in every process. */
const BOUND_MS = 5_000;
const AUDIENCE = 'https://api.acme.example.com';

type Headers = Record<string, string>;

/** One organization's credentials of each kind that programs can use, as request headers. */
async function credentialsOf({ clock }: Rig, tenant: Tenant): Promise<Record<string, Headers>> {
  const { pem } = await issue();
  const registered = await tenant.rest('POST', '/auth/certificates', {
    body: { certificate: pem, name: 'Test', permissions: ['accounts:read'] },
  });
  expect(registered.status, JSON.stringify(registered.body)).toBe(201);

  const { publicKey, privateKey } = await generateKeyPair('ES256', { extractable: true });
  const keySet = JSON.stringify({ keys: [{ ...(await exportJWK(publicKey)), kid: 'one', alg: 'ES256', use: 'sig' }] });
  const server = createServer((_, response) => response.setHeader('content-type', 'application/json').end(keySet));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}/jwks`;
  const body = { name: 'Own', issuer, audience: AUDIENCE, jwks_uri: issuer, permissions: ['accounts:read'] };
  const trusted = await tenant.rest('POST', '/auth/trusted-issuers', { body });
  expect(trusted.status, JSON.stringify(trusted.body)).toBe(201);
  const claims = { iss: issuer, aud: AUDIENCE, sub: 'deployer', exp: Math.floor(clock.now().getTime() / 1000) + 600 };
  const token = await new SignJWT(claims).setProtectedHeader({ alg: 'ES256', kid: 'one', typ: 'JWT' }).sign(privateKey);

  return {
    'an API key': { authorization: `Bearer ${tenant.apiKey}` },
    'a client certificate': { 'x-client-cert': encodeURIComponent(pem) },
    'a token of a foreign issuer': { authorization: `Bearer ${token}` },
  };
}

async function ask({ origin }: Rig, headers: Headers): Promise<{ status: number; code: string | undefined; limit: number }> {
  const response = await fetch(`${origin}/v1/accounts`, { headers });
  const { error } = (await response.json()) as { error?: { code: string } };
  return { status: response.status, code: error?.code, limit: Number(response.headers.get('x-ratelimit-limit')) };
}

/** Resolves when every process responds as expected to all these credentials; fails after BOUND_MS. */
async function everywhere(processes: Rig[], all: Headers[], isSo: (answer: Awaited<ReturnType<typeof ask>>) => boolean): Promise<void> {
  const waiting = processes.flatMap((one) => all.map((headers) => eventually(async () => isSo(await ask(one, headers)), BOUND_MS)));
  await Promise.all(waiting);
}

describe.runIf(process.env.TEST_DATABASE_URL)('organization changes in two processes', () => {
  test('plan changes and suspensions of an organization apply in two processes within five seconds for all kinds of credentials', async () => {
    const DATABASE_URL = await ownDatabase();
    const settings = { DATABASE_URL, CLIENT_CERT_HEADER: 'X-Client-Cert', TRUSTED_PROXIES: '127.0.0.0/8,::1' };
    const first = await start(settings);
    onTestFinished(() => first.close());
    const second = await start(settings);
    onTestFinished(() => second.close());
    const processes = [first, second];
    await first.organization({ plan: 'custom' });
    const by = await onRig(first, () => operator());
    const tenant = await first.organization({ plan: 'business' });
    const all = Object.values(await credentialsOf(first, tenant));
    const path = `/operator/organizations/${tenant.organizationId}`;
    const operate = async (method: string, what: string, body?: object): Promise<void> =>
      expect((await by.rest(method, `${path}/${what}`, { body })).status).toBe(200);
    await everywhere(processes, all, ({ status, limit }) => status === 200 && limit === 10_000);

    await operate('PUT', 'plan', { plan: 'developer' });
    await everywhere(processes, all, ({ limit }) => limit === 1_000);
    await operate('POST', 'suspend');
    await everywhere(processes, all, ({ status, code }) => status === 403 && code === 'ORGANIZATION_SUSPENDED');
    await operate('POST', 'resume');
    await everywhere(processes, all, ({ status }) => status === 200);
  }, 120_000);
});
