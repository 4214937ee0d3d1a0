import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createSecureContext } from 'node:tls';
import type { Config } from '../../kernel/settings/config.ts';
import type { ServerCertificate } from '../../router/edge/server.ts';
import { StartError } from './start-error.ts';

/**
 * Reads TLS_CERT and TLS_KEY. Returns undefined if they are not set.
 * @throws StartError with one line that contains the names of the setting and the file, but no content of the file
 */
export function serverCertificateOf({ tlsCert, tlsKey, tlsClientCa }: Config): ServerCertificate | undefined {
  if (!tlsCert || !tlsKey) return undefined;
  const cert = read('TLS_CERT', tlsCert);
  const key = read('TLS_KEY', tlsKey);
  const [certificate] = certificatesIn('TLS_CERT', tlsCert, cert);
  if (!certificate?.checkPrivateKey(privateKeyIn(tlsKey, key)))
    throw new StartError(`TLS_KEY: the key in ${tlsKey} does not belong to ${tlsCert}.`);
  const tls = { cert, key, ca: tlsClientCa && read('TLS_CLIENT_CA', tlsClientCa) };
  try {
    createSecureContext(tls);
  } catch (error) {
    throw new StartError(`TLS_CERT: ${tlsCert} cannot be used: ${(error as Error).message}.`, { cause: error });
  }
  return tls;
}

/**
 * Reads TLS_CLIENT_CA. Returns undefined if it is not set.
 * @throws StartError with one line that contains the name of the file
 */
export function clientAuthoritiesOf({ tlsClientCa }: Config): readonly X509Certificate[] | undefined {
  if (!tlsClientCa) return undefined;
  const authorities = certificatesIn('TLS_CLIENT_CA', tlsClientCa, read('TLS_CLIENT_CA', tlsClientCa));
  const other = authorities.find(({ ca }) => !ca);
  if (other)
    throw new StartError(
      `TLS_CLIENT_CA: ${tlsClientCa} contains a certificate that is not of a certificate authority: ${other.subject?.replaceAll('\n', ', ')}.`,
    );
  return authorities;
}

function read(setting: string, file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new StartError(`${setting}: ${file} cannot be read (${(error as NodeJS.ErrnoException).code}).`, { cause: error });
  }
}

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

function certificatesIn(setting: string, file: string, pem: string): X509Certificate[] {
  const blocks = pem.match(CERTIFICATE) ?? [];
  try {
    const certificates = blocks.map((block) => new X509Certificate(block));
    if (certificates.length > 0) return certificates;
  } catch (error) {
    throw new StartError(`${setting}: ${file} contains a damaged certificate.`, { cause: error });
  }
  throw new StartError(`${setting}: ${file} contains no certificate in PEM format.`);
}

function privateKeyIn(file: string, pem: string): KeyObject {
  try {
    return createPrivateKey(pem);
  } catch (error) {
    const problem = /\bENCRYPTED\b/.test(pem) ? 'is encrypted; provide it without a passphrase' : 'contains no private key in PEM format';
    throw new StartError(`TLS_KEY: ${file} ${problem}.`, { cause: error });
  }
}
