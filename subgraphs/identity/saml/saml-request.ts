import { promisify } from 'node:util';
import { inflateRaw } from 'node:zlib';
import { InvalidParameters } from '../../../kernel/errors/errors.ts';
import { attributeOf, isNamed, MalformedXml, onlyChild, parseXml, textOf, type XmlElement } from '../saml-xml/saml-xml.ts';
import type { SamlAddresses } from './saml-addresses.ts';
import { ASSERTION, decodeBase64, PROTOCOL } from './saml-response.ts';

const MAX_BYTES = 64 * 1024;
const MAX_AGE_MS = 5 * 60_000;
const POST = 'urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST';
const inflate = promisify(inflateRaw);

/** An AuthnRequest that a client created for a connection of this platform. */
export interface GivenRequest {
  id: string;
  connectionId: string;
  xml: string;
  /** URL of the identity provider that should receive the request. Undefined if the request does not state it. */
  destination: string | undefined;
}

export const invalidRequest = (reason: string): InvalidParameters => new InvalidParameters([{ field: 'SAMLRequest', reason }]);

/**
 * Reads `parameter`: XML in base64, which may be deflated as in the Redirect binding.
 * @throws InvalidParameters (400) if it is not a request of one of this platform's service providers
 */
export async function readRequest(parameter: string, addresses: SamlAddresses, now: Date): Promise<GivenRequest> {
  const xml = await textIn(parameter);
  try {
    return requestIn(await parseXml(xml), xml, addresses, now);
  } catch (error) {
    throw error instanceof MalformedXml ? invalidRequest(`must be an AuthnRequest; it ${error.message}`) : error;
  }
}

function requestIn(root: XmlElement, xml: string, addresses: SamlAddresses, now: Date): GivenRequest {
  if (!isNamed(root, PROTOCOL, 'AuthnRequest') || root.getAttribute('Version') !== '2.0')
    throw invalidRequest('must be a SAML 2.0 AuthnRequest');
  const id = attributeOf(root, 'ID');
  if (!id || !/^[A-Za-z_][\w.-]{15,127}$/.test(id)) throw invalidRequest('must have an ID of 16 to 128 letters, digits, ".", "_" or "-"');
  const issuedAt = Date.parse(root.getAttribute('IssueInstant'));
  if (!(Math.abs(now.getTime() - issuedAt) <= MAX_AGE_MS)) throw invalidRequest('must have been issued within the last five minutes');
  const connectionId = addresses.connectionIn(textOf(onlyChild(root, ASSERTION, 'Issuer')));
  if (!connectionId) throw invalidRequest(`must have the entity id of a connection as its Issuer: ${addresses.entityIdOf('saml_…')}`);
  if ((attributeOf(root, 'AssertionConsumerServiceURL') ?? addresses.acsUrl) !== addresses.acsUrl)
    throw invalidRequest(`must name ${addresses.acsUrl} as AssertionConsumerServiceURL, or none`);
  if ((attributeOf(root, 'ProtocolBinding') ?? POST) !== POST) throw invalidRequest('must ask for the HTTP-POST binding');
  return { id, connectionId, xml, destination: attributeOf(root, 'Destination') };
}

async function textIn(parameter: string): Promise<string> {
  // a plus sign that the client did not percent-encode arrives as a space
  const encoded = parameter.replaceAll(' ', '+');
  const plain = decodeBase64(encoded);
  if (plain?.trimStart().startsWith('<')) return plain;
  try {
    const bytes = await inflate(Buffer.from(encoded, 'base64'), { maxOutputLength: MAX_BYTES });
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw invalidRequest('must be the base64 of an AuthnRequest, deflated or not');
  }
}
