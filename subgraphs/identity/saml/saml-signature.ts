import { verify } from 'node:crypto';
import { type SignatureAlgorithm, SignedXml } from 'xml-crypto';
import { elementsIn, isNamed, type XmlElement } from '../saml-xml/saml-xml.ts';
import type { UnverifiedResponse } from './saml-response.ts';

const DSIG = 'http://www.w3.org/2000/09/xmldsig#';
/** Names of the accepted signature algorithms (saml-response.ts) in Node's crypto API. */
const ALGORITHMS: Readonly<Record<string, string>> = {
  'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256': 'RSA-SHA256',
  'http://www.w3.org/2001/04/xmldsig-more#rsa-sha512': 'RSA-SHA512',
};

/**
 * Returns whether each signature of a response was made with the key of one of `certificates`. Verifies only the
 * SignedInfo elements, which are short. The digests of the signed elements are verified later, because this takes long
 * for a long response.
 */
export function isSignedByOneOf(certificates: readonly string[], { encoded, root }: UnverifiedResponse): boolean {
  const xml = Buffer.from(encoded, 'base64').toString('utf8').replace(/\r\n?/g, '\n');
  const signatures = elementsIn(root).filter((element) => isNamed(element, DSIG, 'Signature'));
  return signatures.length > 0 && signatures.every((signature) => isSigned(xml, signature, certificates));
}

function isSigned(xml: string, signature: XmlElement, certificates: readonly string[]): boolean {
  const signed = new SignedXml({ publicCert: certificates[0] ?? '', getCertFromKeyInfo: () => null });
  signed.SignatureAlgorithms = algorithmsFor(certificates);
  // xml-crypto would compute the digests before it verifies the signature; this override skips the digests. If a later
  // version does not call `validateReference`, this check becomes slower, but not weaker
  Object.assign(signed, { validateReference: () => '' });
  try {
    signed.loadSignature(signature as unknown as Node);
    return signed.checkSignature(xml);
  } catch {
    return false;
  }
}

/**
 * Returns signature algorithms that each try all certificates. Otherwise the document would be parsed again for each
 * certificate, and parsing takes most of the time.
 */
const algorithmsFor = (certificates: readonly string[]): Record<string, new () => SignatureAlgorithm> =>
  Object.fromEntries(
    Object.entries(ALGORITHMS).map(([uri, name]) => [
      uri,
      class {
        getAlgorithmName = () => uri;
        getSignature = (): string => {
          throw new Error('This algorithm only verifies signatures.');
        };
        verifySignature = (material: string, _: unknown, value: string): boolean =>
          certificates.some((pem) => verify(name, Buffer.from(material), pem, Buffer.from(value, 'base64')));
      } as unknown as new () => SignatureAlgorithm,
    ]),
  );
