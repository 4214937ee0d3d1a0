import type { X509Certificate } from 'node:crypto';

/**
 * Returns the SHA-256 fingerprint of the DER certificate in lower-case hexadecimal. The fingerprint identifies a
 * certificate.
 */
export const fingerprintOf = ({ fingerprint256 }: X509Certificate): string => fingerprint256.replaceAll(':', '').toLowerCase();

/**
 * Returns a distinguished name on one line. Node returns each part of the name on a separate line, and undefined for an
 * empty name.
 */
export const nameOnOneLine = (name: string | undefined): string => name?.split('\n').join(', ') ?? '';

/**
 * Returns the authorities in `authorities` that issued the certificate directly. Certificates of an intermediate authority are accepted
 * only if this authority itself is in `authorities`, so that administrators can stop accepting it alone. Several authorities can match,
 * because one key can have several certificates.
 */
export const issuersAmong = (authorities: readonly X509Certificate[], certificate: X509Certificate): X509Certificate[] =>
  authorities.filter((authority) => certificate.checkIssued(authority) && certificate.verify(authority.publicKey));

export type Validity = Pick<X509Certificate, 'validFromDate' | 'validToDate'>;

/**
 * Returns whether a certificate is valid at a point in time. The first and the last moment of its validity are included
 * (RFC 5280, 4.1.2.5).
 */
export const isInForce = ({ validFromDate, validToDate }: Validity, now: Date): boolean => validFromDate <= now && now <= validToDate;
