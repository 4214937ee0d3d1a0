import { X509Certificate } from 'node:crypto';

/** Why a text is no certificate, as the end of the sentence "certificate …". */
export class UnreadablePem extends Error {}

export const CERTIFICATE_LENGTH_MAX = 16_384;
const PRIVATE_KEY = /PRIVATE KEY/;
const BEGIN = /-----BEGIN ([^-\n]{1,64})-----/g;
const CERTIFICATE = /-----BEGIN CERTIFICATE-----[A-Za-z0-9+/=\s]+-----END CERTIFICATE-----/;

/**
 * The one certificate that a PEM text holds; what stands around it is explanation (RFC 7468, 5.2).
 * @throws UnreadablePem, which never repeats the text
 */
export function readPem(text: string): X509Certificate {
  // first, whatever else is wrong: its owner has to know
  if (PRIVATE_KEY.test(text))
    throw new UnreadablePem(
      'came with a private key, which must never be sent: take that key out of use, and send the new certificate alone',
    );
  if (text.length > CERTIFICATE_LENGTH_MAX) throw new UnreadablePem(`must have at most ${CERTIFICATE_LENGTH_MAX} characters`);
  const labels = [...text.matchAll(BEGIN)].map(([, label]) => label);
  if (labels.length > 1) throw new UnreadablePem('must be one certificate, without its chain or anything else');
  const [block] = (labels[0] === 'CERTIFICATE' && CERTIFICATE.exec(text)) || [];
  if (!block) throw new UnreadablePem('must be a certificate in PEM: -----BEGIN CERTIFICATE----- and what follows it');
  try {
    const certificate = new X509Certificate(block);
    // both throw, the one for a date and the other for a key that cannot be read
    certificate.validToDate.toISOString();
    certificate.validFromDate.toISOString();
    void certificate.publicKey;
    return certificate;
  } catch {
    throw new UnreadablePem('cannot be read as an X.509 certificate: it is damaged, or has a key of an unknown kind');
  }
}
