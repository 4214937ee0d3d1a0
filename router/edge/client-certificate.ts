import { X509Certificate } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { TLSSocket } from 'node:tls';
import proxyAddress from '@fastify/proxy-addr';
import { InvalidCredentials } from '../../kernel/access/credentials.ts';
import { BoundedCache } from '../bounded-cache.ts';
import { isCrossOrigin } from '../cors.ts';

export interface ClientCertificateOptions {
  /** In lower case; where a trusted proxy says which certificate its client has. Undefined: no proxy is asked. */
  header: string | undefined;
  trustedProxies: readonly string[];
}

const CACHED_HEADERS = 1_000;

/**
 * Finds the certificate that a request's connection was opened with: in the handshake, or in what a trusted proxy that ended
 * the TLS connection says of it. What a trusted proxy itself shows is never its client's, and what anyone else says is nothing.
 * @throws InvalidCredentials where a proxy says something that is no certificate, and for a page of another origin
 */
export function clientCertificate({ header, trustedProxies }: ClientCertificateOptions) {
  const isTrusted = proxyAddress.compile([...trustedProxies]);
  const handshakes = new WeakMap<TLSSocket, X509Certificate | null>();
  const parsed = new BoundedCache<string, X509Certificate>(CACHED_HEADERS);

  return (request: IncomingMessage): X509Certificate | undefined => {
    const isProxied = trustedProxies.length > 0 && isTrusted(request.socket.remoteAddress ?? '', 0);
    const certificate = isProxied ? forwarded(request, header, parsed) : presented(request, handshakes);
    // a browser shows its user's certificate for whatever page makes it call, as it sends cookies
    if (certificate && isCrossOrigin(request)) {
      throw new InvalidCredentials(
        'A page of another origin cannot call with the certificate of who looks at it. Send an API key or access token.',
      );
    }
    return certificate;
  };
}

/** Of the handshake, in which the client proved to have its key. Made once for a connection. */
function presented({ socket }: IncomingMessage, known: WeakMap<TLSSocket, X509Certificate | null>): X509Certificate | undefined {
  if (!(socket instanceof TLSSocket)) return undefined;
  const found = known.get(socket);
  if (found !== undefined) return found ?? undefined;
  const certificate = socket.getPeerX509Certificate();
  known.set(socket, certificate ?? null);
  return certificate;
}

function forwarded(
  { headersDistinct }: IncomingMessage,
  header: string | undefined,
  known: BoundedCache<string, X509Certificate>,
): X509Certificate | undefined {
  const [value, ...more] = (header && headersDistinct[header]) || [];
  if (!value) return undefined;
  // the first would be the client's own word
  if (more.length > 0) throw new InvalidCredentials(`${header} came more than once: the proxy must replace what a client sends in it.`);
  const certificate = known.get(value) ?? parse(value);
  if (!certificate) throw new InvalidCredentials(`${header}, which the proxy sent, holds no certificate.`);
  known.set(value, certificate);
  return certificate;
}

const ENVOY = /(?:^|;)Cert="([^"]*)"/i;

/**
 * As proxies write it: PEM, URL-encoded (nginx, AWS; Envoy inside of `Cert="…"`), or DER in base64 (Traefik, HAProxy; RFC 9440
 * between colons). Of a chain the first is the client's.
 */
function parse(value: string): X509Certificate | undefined {
  try {
    const text = decodeURIComponent(ENVOY.exec(value)?.[1] ?? value);
    const [first = ''] = text.split(',');
    return new X509Certificate(text.includes('-----BEGIN') ? text : Buffer.from(first, 'base64'));
  } catch {
    return undefined;
  }
}
