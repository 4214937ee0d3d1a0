import { X509Certificate } from 'node:crypto';

/**
 * Thrown if a PEM text contains no usable certificate. The message completes a sentence that begins with "certificate", for example
 * "certificate must be …".
 */
export class UnreadablePem extends Error {}

export const CERTIFICATE_LENGTH_MAX = 16_384;
const PRIVATE_KEY = /PRIVATE KEY/;
const BEGIN = /-----BEGIN ([^-\n]{1,64})-----/g;
const CERTIFICATE = /-----BEGIN CERTIFICATE-----[A-Za-z0-9+/=\s]+-----END CERTIFICATE-----/;

/**
 * Parses a PEM text that must contain exactly one certificate and no other PEM block. Ignores text outside the block
 * (RFC 7468, 5.2).
 * @throws UnreadablePem with a message that contains no part of `text`
 */
export function readPem(text: string): X509Certificate {
  // checked first: a caller who sent a private key must get this error, even if the text has other problems
  if (PRIVATE_KEY.test(text))
    throw new UnreadablePem(
      'contains a private key, which must never be sent: stop using that key, create a new one, and send only its certificate',
    );
  if (text.length > CERTIFICATE_LENGTH_MAX) throw new UnreadablePem(`must have at most ${CERTIFICATE_LENGTH_MAX} characters`);
  const labels = [...text.matchAll(BEGIN)].map(([, label]) => label);
  if (labels.length > 1) throw new UnreadablePem('must be one certificate, without its chain or anything else');
  const [block] = (labels[0] === 'CERTIFICATE' && CERTIFICATE.exec(text)) || [];
  if (!block) throw new UnreadablePem('must be a certificate in PEM format, which begins with -----BEGIN CERTIFICATE-----');
  try {
    const certificate = new X509Certificate(block);
    // reading these properties throws if a date or the key cannot be parsed
    certificate.validToDate.toISOString();
    certificate.validFromDate.toISOString();
    void certificate.publicKey;
    return certificate;
  } catch {
    throw new UnreadablePem('cannot be read as an X.509 certificate: it is damaged, or has a key of an unknown kind');
  }
}
