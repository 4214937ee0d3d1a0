import { verify } from 'node:crypto';
import { type SignatureAlgorithm, SignedXml } from 'xml-crypto';
import { elementsIn, isNamed, type XmlElement } from '../saml-xml/saml-xml.ts';
import type { UnverifiedResponse } from './saml-response.ts';

const DSIG = 'http://www.w3.org/2000/09/xmldsig#';
/** Node's names of the algorithms that a response may name (saml-response.ts). */
const ALGORITHMS: Readonly<Record<string, string>> = {
  'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256': 'RSA-SHA256',
  'http://www.w3.org/2001/04/xmldsig-more#rsa-sha512': 'RSA-SHA512',
};

/**
 * Whether each signature of a response was made with one of these keys: over its SignedInfo alone, which is short. What the
 * SignedInfo says of the rest is not looked at: that comes afterwards, and costs as much as the response is long.
 */
export function isSignedByOneOf(certificates: readonly string[], { encoded, root }: UnverifiedResponse): boolean {
  const xml = Buffer.from(encoded, 'base64').toString('utf8').replace(/\r\n?/g, '\n');
  const signatures = elementsIn(root).filter((element) => isNamed(element, DSIG, 'Signature'));
  return signatures.length > 0 && signatures.every((signature) => isSigned(xml, signature, certificates));
}

function isSigned(xml: string, signature: XmlElement, certificates: readonly string[]): boolean {
  const signed = new SignedXml({ publicCert: certificates[0] ?? '', getCertFromKeyInfo: () => null });
  signed.SignatureAlgorithms = algorithmsFor(certificates);
  // xml-crypto digests the references before it verifies the signature. If it ever stops calling this, checks get slower, not weaker.
  Object.assign(signed, { validateReference: () => '' });
  try {
    signed.loadSignature(signature as unknown as Node);
    return signed.checkSignature(xml);
  } catch {
    return false;
  }
}

/** Each tries all certificates: the document, which takes longest to read, is read once. */
const algorithmsFor = (certificates: readonly string[]): Record<string, new () => SignatureAlgorithm> =>
  Object.fromEntries(
    Object.entries(ALGORITHMS).map(([uri, name]) => [
      uri,
      class {
        getAlgorithmName = () => uri;
        getSignature = (): string => {
          throw new Error('Nothing is signed here.');
        };
        verifySignature = (material: string, _: unknown, value: string): boolean =>
          certificates.some((pem) => verify(name, Buffer.from(material), pem, Buffer.from(value, 'base64')));
      } as unknown as new () => SignatureAlgorithm,
    ]),
  );
