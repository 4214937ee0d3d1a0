import { X509Certificate } from 'node:crypto';
import {
  attributeOf,
  childrenNamed,
  elementsIn,
  isNamed,
  MalformedXml,
  onlyChild,
  parseXml,
  textOf,
  type XmlElement,
} from '../saml-xml/saml-xml.ts';

const METADATA = 'urn:oasis:names:tc:SAML:2.0:metadata';
const SIGNATURE = 'http://www.w3.org/2000/09/xmldsig#';
const REDIRECT = 'urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect';
const RSA_BITS_MIN = 2048;

/** Settings of an identity provider that are needed to sign users in. */
export interface IdentityProvider {
  idpEntityId: string;
  ssoUrl: string;
  /** Certificates of the identity provider in PEM format. */
  certificates: string[];
}

/**
 * Reads the metadata of one identity provider (SAML 2.0 Metadata, 2.4.3).
 * @throws MalformedXml. Its message continues a sentence that starts with "The metadata"
 */
export async function readIdpMetadata(text: string): Promise<IdentityProvider> {
  const entity = await parseXml(text, { comments: 'drop' });
  if (!isNamed(entity, METADATA, 'EntityDescriptor')) throw new MalformedXml('must be the EntityDescriptor of one identity provider');
  const idpEntityId = attributeOf(entity, 'entityID');
  if (!idpEntityId) throw new MalformedXml('must have an entityID');
  const provider = onlyChild(entity, METADATA, 'IDPSSODescriptor');
  const services = childrenNamed(provider, METADATA, 'SingleSignOnService');
  const ssoUrl = services.filter((service) => service.getAttribute('Binding') === REDIRECT).map((one) => attributeOf(one, 'Location'))[0];
  if (!ssoUrl) throw new MalformedXml('must have a SingleSignOnService with the HTTP-Redirect binding');
  const certificates = childrenNamed(provider, METADATA, 'KeyDescriptor')
    .filter((key) => key.getAttribute('use') !== 'encryption')
    .flatMap(certificatesIn);
  if (certificates.length === 0) throw new MalformedXml('must have a certificate for signing');
  return { idpEntityId, ssoUrl, certificates: [...new Set(certificates)] };
}

const certificatesIn = (key: XmlElement): string[] =>
  elementsIn(key)
    .filter((element) => isNamed(element, SIGNATURE, 'X509Certificate'))
    .map((element) => {
      const pem = certificatePem(textOf(element));
      if (!pem)
        throw new MalformedXml('contains a certificate that cannot be used: X.509 with an RSA key of at least 2048 bits is required');
      return pem;
    });

/**
 * Converts a certificate to PEM, from PEM or bare base64. Returns undefined if it is not a certificate with an RSA key
 * of at least 2048 bits. Ignores the expiry: the key is trusted as long as the connection contains the certificate.
 */
export function certificatePem(text: string): string | undefined {
  const bare = text.replace(/-----(BEGIN|END) CERTIFICATE-----/g, '').replace(/\s+/g, '');
  if (!/^[A-Za-z0-9+/]+=*$/.test(bare)) return undefined;
  try {
    const certificate = new X509Certificate(Buffer.from(bare, 'base64'));
    const { asymmetricKeyType: type, asymmetricKeyDetails: details } = certificate.publicKey;
    return type === 'rsa' && (details?.modulusLength ?? 0) >= RSA_BITS_MIN ? certificate.toString() : undefined;
  } catch {
    return undefined;
  }
}
