import { expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { start } from '../rig.ts';
import { Tenant } from '../tenant.ts';

const OFFICE = '203.0.113.7';
const HOME = '198.51.100.1';

/** The result of opening a socket with a key: `connection_ack`, or the code with which the socket is closed. */
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

/**
 * Earlier, the client address of a WebSocket connection was the address of the proxy. An API key that was limited to the IP
 * address of an office was rejected, and failed logins of one client counted for every client behind the proxy.
 */
test.each([
  ['behind a trusted proxy', '127.0.0.0/8,::1', 'connection_ack', [200, 403]],
  ['without a trusted proxy', '', 4403, [403, 403]],
])(
  'a WebSocket connection %s gets the same client address as an HTTP request over the same route',
  async (_, trusted, admitted, statuses) => {
    const platform = await start({ TRUSTED_PROXIES: trusted });
    const tenant = await platform.organization({ plan: 'custom' });
    const body = { name: 'office', permissions: ['services:read'], restrictions: { ip_whitelist: [`${OFFICE}/32`] } };
    const { key } = (await tenant.rest('POST', '/auth/api-keys', { body })).body.api_key;

    const office = new Tenant(platform.origin, tenant.organizationId, key);
    const statusFrom = async (address: string) =>
      (await office.rest('GET', '/services', { headers: { 'x-forwarded-for': address } })).status;
    expect([await statusFrom(OFFICE), await statusFrom(HOME)]).toEqual(statuses);
    expect(await opened(platform.origin, key, OFFICE)).toBe(admitted);
    expect(await opened(platform.origin, key, `${OFFICE}, ${HOME}`)).toBe(4403);
    await platform.close();
  },
);
