import type { X509Certificate } from 'node:crypto';

/** SHA-256 of the certificate in DER, in lower-case hexadecimal digits: what a certificate is known by. */
export const fingerprintOf = ({ fingerprint256 }: X509Certificate): string => fingerprint256.replaceAll(':', '').toLowerCase();

/** A distinguished name as Node writes it has a line for each part, and is undefined where it has none. */
export const nameOnOneLine = (name: string | undefined): string => name?.split('\n').join(', ') ?? '';

/**
 * The authorities that issued it, themselves: an intermediate one belongs among them, so that it can be taken out alone.
 * More than one where a key has several certificates.
 */
export const issuersAmong = (authorities: readonly X509Certificate[], certificate: X509Certificate): X509Certificate[] =>
  authorities.filter((authority) => certificate.checkIssued(authority) && certificate.verify(authority.publicKey));

export type Validity = Pick<X509Certificate, 'validFromDate' | 'validToDate'>;

/** The ends of its time belong to it (RFC 5280, 4.1.2.5). */
export const isInForce = ({ validFromDate, validToDate }: Validity, now: Date): boolean => validFromDate <= now && now <= validToDate;
