import type { IncomingMessage } from 'node:http';
import proxyAddress from '@fastify/proxy-addr';

/** Returns the client's address, like `request.ip`, for a WebSocket upgrade, for which Fastify creates no request. */
export function clientAddress(trustedProxies: readonly string[]): (request: IncomingMessage) => string {
  if (trustedProxies.length === 0) return ({ socket }) => socket.remoteAddress ?? '';
  const isTrusted = proxyAddress.compile([...trustedProxies]);
  return (request) => proxyAddress(request, isTrusted) ?? '';
}

/** Returns the country that a trusted proxy sends for the client. From any other client the header is ignored. */
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
