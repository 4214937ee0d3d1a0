import { type Client, createClient } from 'graphql-ws';
import { afterEach, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { rig } from '../rig.ts';

const open: Client[] = [];
afterEach(async () => {
  for (const client of open.splice(0)) await client.dispose();
});

test('a key that was deleted does nothing more on a socket that is open already', async () => {
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
  expect(closed).toEqual([4403]);
  expect((await tenant.rest('GET', '/accounts')).body.data).toEqual([]);
});
