import type { KeyObject, X509Certificate } from 'node:crypto';
import { isInForce, issuersAmong } from './certificate-x509.ts';

const RSA_BITS_MIN = 2048;
const CURVES = new Set(['prime256v1', 'secp384r1', 'secp521r1']);
const SIGNATURES = new Set([
  '1.2.840.113549.1.1.11', // sha256WithRSAEncryption, 384, 512
  '1.2.840.113549.1.1.12',
  '1.2.840.113549.1.1.13',
  '1.2.840.10045.4.3.2', // ecdsa-with-SHA256, 384, 512
  '1.2.840.10045.4.3.3',
  '1.2.840.10045.4.3.4',
  '1.3.101.112', // Ed25519
  '1.3.101.113', // Ed448
]);
const RSA_PSS = '1.2.840.113549.1.1.10';
const ANY_USE = '2.5.29.37.0';
const CLIENT_AUTHENTICATION = '1.3.6.1.5.5.7.3.2';

/**
 * Returns the reasons why a certificate cannot be registered. Each reason completes a sentence that begins with
 * "certificate". A certificate that is not valid yet can be registered. If `authorities` is given, one of them must
 * have issued the certificate. Otherwise any issuer and self-signed certificates are accepted.
 */
export function certificateProblems(certificate: X509Certificate, now: Date, authorities?: readonly X509Certificate[]): string[] {
  const { validFromDate, validToDate, ca, keyUsage: uses } = certificate;
  return [
    validToDate < now && `expired at ${validToDate.toISOString()}`,
    validToDate < validFromDate && 'ends before it begins to be valid',
    !isStrongKey(certificate.publicKey) &&
      `must have an RSA key of ${RSA_BITS_MIN} bits or more, an EC key on P-256, P-384 or P-521, or an Ed25519 or Ed448 key`,
    !isStrongSignature(certificate) && 'must be signed with SHA-256 or better',
    ca && 'is that of a certificate authority: issue one with basicConstraints CA:FALSE',
    uses &&
      !uses.includes(CLIENT_AUTHENTICATION) &&
      !uses.includes(ANY_USE) &&
      'must allow client authentication in its extended key usage',
    authorities &&
      !issuersAmong(authorities, certificate).some((issuer) => isInForce(issuer, now)) &&
      'was not issued by an authority that this platform accepts',
  ].filter((reason) => typeof reason === 'string');
}

function isStrongKey({ asymmetricKeyType: type, asymmetricKeyDetails: details }: KeyObject): boolean {
  if (type === 'rsa' || type === 'rsa-pss') return (details?.modulusLength ?? 0) >= RSA_BITS_MIN;
  if (type === 'ec') return CURVES.has(details?.namedCurve ?? '');
  return type === 'ed25519' || type === 'ed448';
}

const isStrongSignature = ({ signatureAlgorithmOid: oid, raw }: X509Certificate): boolean =>
  oid === RSA_PSS ? pssHash(raw) === 'sha2' : SIGNATURES.has(oid);

const PSS_OID = Buffer.from('06092a864886f70d01010a', 'hex');
/**
 * Matches the parameters of an RSASSA-PSS signature with a SHA-2 hash, DER-encoded in hexadecimal. The last byte is the
 * end of the OID and identifies the hash.
 */
const SHA2_PARAMETERS = /^30..a0..30..06096086480165030402(01|02|03)/;
const PARAMETERS_HEX = 40;

/**
 * Reads the hash of an RSASSA-PSS signature from the parameters of the signature, which Node does not expose. Without
 * parameters, the hash is SHA-1 (RFC 4055, 3.1).
 */
function pssHash(der: Buffer): 'sha2' | 'other' {
  const start = der.indexOf(PSS_OID) + PSS_OID.length;
  const parameters = der.subarray(start, start + PARAMETERS_HEX).toString('hex');
  return SHA2_PARAMETERS.test(parameters) ? 'sha2' : 'other';
}
