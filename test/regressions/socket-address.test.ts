import { expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { assemble, type FullAssembly } from '../../apps/platform/assemble.ts';
import { startPlatform } from '../../apps/platform/platform.ts';
import { scratchFolder } from '../../bench/scratch-folder.ts';
import { loadConfig } from '../../kernel/config.ts';
import { createLogger } from '../../kernel/log.ts';
import { ownDatabase } from '../support/own-database.ts';
import { Tenant } from '../tenant.ts';

const OFFICE = '203.0.113.7';
const HOME = '198.51.100.1';

const config = (trusted: string, databaseUrl: string | undefined) =>
  loadConfig({
    PORT: '0',
    DATA_DIR: scratchFolder(),
    DATABASE_URL: databaseUrl,
    SECRET_KEY: 'a secret for tests that is long enough',
    TRUSTED_PROXIES: trusted,
  });

/** Whether a key is admitted: `connection_ack`, or the code that the socket is closed with. */
function opened(origin: string, key: string, forwardedFor: string): Promise<unknown> {
  const socket = new WebSocket(`${origin.replace('http', 'ws')}/graphql`, 'graphql-transport-ws', {
    headers: { 'x-forwarded-for': forwardedFor },
  });
  socket.once('open', () => socket.send(JSON.stringify({ type: 'connection_init', payload: { apiKey: key } })));
  return new Promise((resolve) => {
    socket.once('message', (message) => {
      resolve(JSON.parse(String(message)).type);
      socket.close();
    });
    socket.once('close', resolve);
  });
}

/** The address of a socket was the proxy's, so a key for the office was refused, and everyone behind the proxy paid for anyone's failures. */
test.each([
  ['behind a trusted proxy', '127.0.0.0/8,::1', 'connection_ack', [200, 403]],
  ['by a client that only claims to be forwarded', '', 4403, [403, 403]],
])('a socket has the address that a request has, %s', async (_, trusted, admitted, statuses) => {
  let assembly: FullAssembly | undefined;
  const platform = await startPlatform(
    config(trusted, await ownDatabase()),
    async (foundation) => {
      assembly = await assemble(foundation);
      return assembly;
    },
    { log: createLogger({ level: 'silent' }) },
  );
  const { organization, apiKey } = await (assembly as FullAssembly).domains.identity.createOrganization({ name: 'Test', plan: 'custom' });
  const tenant = new Tenant(platform.origin, organization.id, apiKey);
  const body = { name: 'office', permissions: ['services:read'], restrictions: { ip_whitelist: [`${OFFICE}/32`] } };
  const { key } = (await tenant.rest('POST', '/auth/api-keys', { body })).body.api_key;

  const office = new Tenant(platform.origin, organization.id, key);
  const asked = async (address: string) => (await office.rest('GET', '/services', { headers: { 'x-forwarded-for': address } })).status;
  expect([await asked(OFFICE), await asked(HOME)]).toEqual(statuses);
  expect(await opened(platform.origin, key, OFFICE)).toBe(admitted);
  expect(await opened(platform.origin, key, `${OFFICE}, ${HOME}`)).toBe(4403);
  await platform.close();
});
