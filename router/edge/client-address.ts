import type { IncomingMessage } from 'node:http';
import proxyAddress from '@fastify/proxy-addr';

/**
 * Returns a function that gives the client's address of a request. Use it for a WebSocket upgrade, for which Fastify
 * has no `request.ip`.
 */
export function clientAddress(trustedProxies: readonly string[]): (request: IncomingMessage) => string {
  if (trustedProxies.length === 0) return ({ socket }) => socket.remoteAddress ?? '';
  const isTrusted = proxyAddress.compile([...trustedProxies]);
  return (request) => proxyAddress(request, isTrusted) ?? '';
}

/**
 * Returns a function that reads the client's country from a header of a trusted proxy. The header is ignored if the
 * request does not come directly from a trusted proxy.
 */
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
