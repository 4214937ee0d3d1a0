import { type Client, createClient } from 'graphql-ws';
import { afterEach, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { rig } from '../rig.ts';
import { Tenant } from '../tenant.ts';

const HOUR_MS = 3_600_000;

const open: Client[] = [];
afterEach(async () => {
  for (const client of open.splice(0)) await client.dispose();
});

test('an open socket is closed with 4403 at its first operation after its API key was deleted', async () => {
  const tenant = await (await rig()).organization();
  const { body } = await tenant.rest('POST', '/auth/api-keys', {
    body: { name: 'Stolen', permissions: ['accounts:write', 'accounts:read'] },
  });
  const closed: number[] = [];
  const client = createClient({
    url: `${tenant.origin.replace('http', 'ws')}/graphql`,
    webSocketImpl: WebSocket,
    connectionParams: { apiKey: body.api_key.key },
    retryAttempts: 0,
    lazy: false,
    onNonLazyError: () => undefined,
    on: { closed: (event) => void closed.push((event as { code: number }).code) },
  });
  open.push(client);
  const query = '{ accounts { nodes { id } } }';
  expect((await client.iterate({ query }).next()).value?.data).toEqual({ accounts: { nodes: [] } });

  expect((await tenant.rest('DELETE', `/auth/api-keys/${body.api_key.id}`)).status).toBe(200);
  const mutation = 'mutation { createAccount(input: { name: "Mine", email: "me@example.com" }) { id } }';
  await client
    .iterate({ query: mutation })
    .next()
    .catch(() => undefined);
  // a client that noticed the close earlier may have reconnected and was rejected
  expect(closed[0]).toBe(4403);
  expect((await tenant.rest('GET', '/accounts')).body.data).toEqual([]);
});

/** Opens a subscription on a socket with a new key. `closed` resolves with the close event. */
async function listening(tenant: Tenant, key: object = {}) {
  const { body } = await tenant.rest('POST', '/auth/api-keys', { body: { name: 'Dashboard', permissions: ['webhooks:read'], ...key } });
  const client = new Tenant(tenant.origin, tenant.organizationId, body.api_key.key).socket();
  open.push(client);
  const next = client.iterate({ query: 'subscription { events { id } }' }).next();
  const closed = next.then(
    () => undefined,
    ({ code, reason }: { code: number; reason: string }) => ({ code, reason }),
  );
  // the response on the same socket shows that the subscription has started
  await client.iterate({ query: '{ callerIdentity { id } }' }).next();
  return { id: body.api_key.id, client, closed };
}

test('a socket with a subscription is closed with 4403 when its key is deleted, and the key opens no new socket', async () => {
  const tenant = await (await rig()).organization();
  const { id, client, closed } = await listening(tenant);
  await tenant.rest('DELETE', `/auth/api-keys/${id}`);
  expect(await closed).toEqual({ code: 4403, reason: expect.stringMatching(/^INVALID_CREDENTIALS: /) });
  // the code 4401 stops the client from reconnecting
  await expect(client.iterate({ query: '{ callerIdentity { id } }' }).next()).rejects.toMatchObject({ code: 4401 });
});

test('a socket with a subscription is closed with 4403 TOKEN_EXPIRED when its key expires', async () => {
  const platform = await rig();
  const tenant = await platform.organization();
  const { closed } = await listening(tenant, {
    restrictions: { expires_at: new Date(platform.clock.now().getTime() + HOUR_MS).toISOString() },
  });
  await platform.advance(2 * HOUR_MS);
  expect(await closed).toEqual({ code: 4403, reason: expect.stringMatching(/^TOKEN_EXPIRED: /) });
});
