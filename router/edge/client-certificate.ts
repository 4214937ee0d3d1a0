import { X509Certificate } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { TLSSocket } from 'node:tls';
import proxyAddress from '@fastify/proxy-addr';
import { InvalidCredentials } from '../../kernel/access/credentials.ts';
import { BoundedCache } from '../../kernel/bounded-cache.ts';
import { isCrossOrigin } from '../cors.ts';

export interface ClientCertificateOptions {
  /**
   * Lower-case name of the header in which a trusted proxy sends the client certificate. Undefined if no proxy sends
   * it.
   */
  header: string | undefined;
  trustedProxies: readonly string[];
}

const CACHED_HEADERS = 1_000;

/**
 * Returns a function that finds the client certificate of a request.
 * The certificate comes from the TLS handshake, or from the header of a trusted proxy that terminated TLS. The proxy's
 * own TLS certificate is never used as the certificate of the client. The header is ignored if the request does not
 * come directly from a trusted proxy.
 * The function throws InvalidCredentials if the header contains no certificate, or if a page of another origin sent the
 * request.
 */
export function clientCertificate({ header, trustedProxies }: ClientCertificateOptions) {
  const isTrusted = proxyAddress.compile([...trustedProxies]);
  const handshakes = new WeakMap<TLSSocket, X509Certificate | null>();
  const parsed = new BoundedCache<string, X509Certificate>(CACHED_HEADERS);

  return (request: IncomingMessage): X509Certificate | undefined => {
    const isProxied = trustedProxies.length > 0 && isTrusted(request.socket.remoteAddress ?? '', 0);
    const certificate = isProxied ? forwarded(request, header, parsed) : presented(request, handshakes);
    // browsers send the user's certificate, like cookies, with requests of any page
    if (certificate && isCrossOrigin(request)) {
      throw new InvalidCredentials('Pages of other origins cannot use a client certificate. Send an API key or access token.');
    }
    return certificate;
  };
}

/**
 * Returns the certificate of the TLS handshake, and caches it per connection. In the handshake, the client has proved
 * that it has the private key of the certificate.
 */
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
  // if the header occurs several times, the client itself may have sent the first value
  if (more.length > 0)
    throw new InvalidCredentials(`${header} was sent more than once. The proxy must overwrite the value that a client sends.`);
  const certificate = known.get(value) ?? parse(value);
  if (!certificate) throw new InvalidCredentials(`${header} from the proxy does not contain a certificate.`);
  known.set(value, certificate);
  return certificate;
}

const ENVOY = /(?:^|;)Cert="([^"]*)"/i;

/**
 * Parses a certificate in the formats that proxies send:
 * - PEM, URL-encoded: nginx, AWS, and Envoy, which puts it into `Cert="…"`
 * - DER in base64: Traefik, HAProxy, and RFC 9440, which puts it between colons
 * If the value is a chain, the first certificate is the client's.
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
