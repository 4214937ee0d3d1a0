import type { IncomingMessage } from 'node:http';
import proxyAddress from '@fastify/proxy-addr';

/** The client's address as `request.ip` of the server has it, for what Fastify makes no request of: the opening of a socket. */
export function clientAddress(trustedProxies: readonly string[]): (request: IncomingMessage) => string {
  if (trustedProxies.length === 0) return ({ socket }) => socket.remoteAddress ?? '';
  const isTrusted = proxyAddress.compile([...trustedProxies]);
  return (request) => proxyAddress(request, isTrusted) ?? '';
}

/** The country that the proxy in front says the client is in; of anybody but a trusted proxy the header is not believed. */
export function clientCountry(
  trustedProxies: readonly string[],
  header: string | undefined,
): (request: IncomingMessage) => string | undefined {
  if (!header || trustedProxies.length === 0) return () => undefined;
  const isTrusted = proxyAddress.compile([...trustedProxies]);
  return ({ socket, headers }) => {
    const country = headers[header];
    return typeof country === 'string' && isTrusted(socket.remoteAddress ?? '', 0) ? country : undefined;
  };
}
