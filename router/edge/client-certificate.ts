import { X509Certificate } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { TLSSocket } from 'node:tls';
import proxyAddress from '@fastify/proxy-addr';
import { InvalidCredentials } from '../../kernel/access/credentials.ts';
import { BoundedCache } from '../bounded-cache.ts';
import { isCrossOrigin } from '../cors.ts';

export interface ClientCertificateOptions {
  /** Lower-case name of the header with the client certificate from a trusted proxy; undefined if no proxy sends it. */
  header: string | undefined;
  trustedProxies: readonly string[];
}

const CACHED_HEADERS = 1_000;

/**
 * Finds the client certificate of a connection: from the TLS handshake, or from the header of a trusted proxy that terminated TLS. A
 * proxy's own certificate is never used for its client, and the header is ignored from other senders.
 * @throws InvalidCredentials if the header is not a certificate, and for a page of another origin
 */
export function clientCertificate({ header, trustedProxies }: ClientCertificateOptions) {
  const isTrusted = proxyAddress.compile([...trustedProxies]);
  const handshakes = new WeakMap<TLSSocket, X509Certificate | null>();
  const parsed = new BoundedCache<string, X509Certificate>(CACHED_HEADERS);

  return (request: IncomingMessage): X509Certificate | undefined => {
    const isProxied = trustedProxies.length > 0 && isTrusted(request.socket.remoteAddress ?? '', 0);
    const certificate = isProxied ? forwarded(request, header, parsed) : presented(request, handshakes);
    // a browser sends its user's certificate with requests of any page, like cookies
    if (certificate && isCrossOrigin(request)) {
      throw new InvalidCredentials('Pages of other origins cannot use a client certificate. Send an API key or access token.');
    }
    return certificate;
  };
}

/** Returns the certificate of the handshake, in which the client proved that it has the key. Cached per connection. */
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
  // the first value could come from the client itself
  if (more.length > 0)
    throw new InvalidCredentials(`${header} was sent more than once. The proxy must overwrite the value that a client sends.`);
  const certificate = known.get(value) ?? parse(value);
  if (!certificate) throw new InvalidCredentials(`${header} from the proxy does not contain a certificate.`);
  known.set(value, certificate);
  return certificate;
}

const ENVOY = /(?:^|;)Cert="([^"]*)"/i;

/**
 * Parses the formats of proxies: PEM, URL-encoded (nginx, AWS; Envoy within `Cert="…"`), or DER in base64 (Traefik, HAProxy; RFC 9440
 * between colons). In a chain, the first certificate is the client's.
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
