import {
  attributeOf,
  childrenNamed,
  childrenOf,
  elementsIn,
  isNamed,
  MalformedXml,
  onlyChild,
  parseXml,
  textOf,
  type XmlElement,
} from '../saml-xml/saml-xml.ts';
import { NotSaml, SignInRefused } from './saml.errors.ts';

export const PROTOCOL = 'urn:oasis:names:tc:SAML:2.0:protocol';
export const ASSERTION = 'urn:oasis:names:tc:SAML:2.0:assertion';
const DSIG = 'http://www.w3.org/2000/09/xmldsig#';
const SUCCESS = 'urn:oasis:names:tc:SAML:2.0:status:Success';
export const RESPONSE_MAX_CHARACTERS = 256 * 1024;

/** A parsed response. Nothing in it can be trusted before its signatures are verified. */
export interface UnverifiedResponse {
  /** The response in base64. */
  encoded: string;
  root: XmlElement;
  inResponseTo: string | undefined;
  /** The entity id in the response's audience restriction. It is not verified. */
  audience: string | undefined;
}

/** Parses a SAML response without verifying it. @throws NotSaml if the text is not a SAML response */
export async function readResponse(given: string): Promise<UnverifiedResponse> {
  if (given.length > RESPONSE_MAX_CHARACTERS) throw new NotSaml(`must have at most ${RESPONSE_MAX_CHARACTERS} characters`);
  const encoded = given.replace(/\s+/g, '');
  const xml = decodeBase64(encoded);
  if (xml === undefined) throw new NotSaml('must be base64 of UTF-8 text');
  const root = await parseXml(xml).catch((error: unknown) => {
    throw error instanceof MalformedXml ? new NotSaml(`must be a SAML response; it ${error.message}`) : error;
  });
  if (!isNamed(root, PROTOCOL, 'Response')) throw new NotSaml('must be a SAML 2.0 Response');
  const [assertion] = childrenNamed(root, ASSERTION, 'Assertion');
  // a response with a status and no assertion is a refusal by the identity provider
  if (!assertion && childrenNamed(root, PROTOCOL, 'Status').length === 0) throw new NotSaml('must contain a status or an assertion');
  const audience = assertion && elementsIn(assertion).find((element) => isNamed(element, ASSERTION, 'Audience'));
  return { encoded, root, inResponseTo: attributeOf(root, 'InResponseTo'), audience: audience?.childNodes[0]?.nodeValue?.trim() };
}

/** Decodes base64. Returns undefined if it is not canonical base64 or not UTF-8. */
export function decodeBase64(encoded: string): string | undefined {
  const bytes = Buffer.from(encoded, 'base64');
  if (encoded === '' || bytes.toString('base64') !== encoded) return undefined;
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

const IN_RESPONSE = ['Issuer', 'Signature', 'Status', 'Assertion'];
/**
 * Elements allowed in a signature. All other elements are refused, because attackers could hide elements in a
 * signature, for example in an Object element.
 */
const IN_SIGNATURE = new Set([
  ...[
    'Signature',
    'SignedInfo',
    'CanonicalizationMethod',
    'SignatureMethod',
    'Reference',
    'Transforms',
    'Transform',
    'InclusiveNamespaces',
  ],
  ...[
    'DigestMethod',
    'DigestValue',
    'SignatureValue',
    'KeyInfo',
    'X509Data',
    'X509Certificate',
    'KeyName',
    'KeyValue',
    'RSAKeyValue',
    'Modulus',
    'Exponent',
  ],
  ...['X509SubjectName', 'X509IssuerSerial', 'X509IssuerName', 'X509SerialNumber', 'X509SKI'],
]);
/** Allowed algorithms. SHA-1, HMAC and canonicalization with comments are not allowed. */
const ALGORITHMS: Readonly<Record<string, readonly string[]>> = {
  SignatureMethod: ['http://www.w3.org/2001/04/xmldsig-more#rsa-sha256', 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha512'],
  DigestMethod: ['http://www.w3.org/2001/04/xmlenc#sha256', 'http://www.w3.org/2001/04/xmlenc#sha512'],
  CanonicalizationMethod: ['http://www.w3.org/2001/10/xml-exc-c14n#'],
  Transform: ['http://www.w3.org/2000/09/xmldsig#enveloped-signature', 'http://www.w3.org/2001/10/xml-exc-c14n#'],
};

/**
 * Checks the structure of a response: a success from `idpEntityId` to `acsUrl` with exactly one assertion. The response
 * and the assertion must each have one signature. This prevents XML signature wrapping, where the signed elements are
 * not the elements that are read. The signatures themselves are verified later.
 * @throws SignInRefused
 */
export function checkShape({ root }: UnverifiedResponse, { acsUrl, idpEntityId }: { acsUrl: string; idpEntityId: string }): void {
  try {
    const status = attributeOf(onlyChild(onlyChild(root, PROTOCOL, 'Status'), PROTOCOL, 'StatusCode'), 'Value');
    if (status !== SUCCESS) throw new SignInRefused(`the identity provider says ${status?.replace(/^.*:/, '').slice(0, 60)}`);
    if (root.getAttribute('Version') !== '2.0') throw new SignInRefused('version');
    if (root.getAttribute('Destination') !== acsUrl) throw new SignInRefused('destination');
    if (textOf(onlyChild(root, ASSERTION, 'Issuer')) !== idpEntityId) throw new SignInRefused('issuer');
    const stranger = childrenOf(root).find(({ localName }) => !IN_RESPONSE.includes(localName));
    if (stranger) throw new SignInRefused(`${stranger.localName.slice(0, 60)} in the response`);

    const elements = elementsIn(root);
    const assertion = onlyChild(root, ASSERTION, 'Assertion');
    const assertions = elements.filter(({ localName }) => /^(encrypted)?assertion$/i.test(localName));
    if (assertions.length !== 1) throw new SignInRefused('more than one assertion');
    if (elements.filter(({ localName }) => localName === 'Response').length !== 1) throw new SignInRefused('more than one response');
    checkIds(elements);
    const signatures = elements.filter(({ localName }) => localName === 'Signature');
    if (signatures.length !== 2) throw new SignInRefused('response and assertion must be signed, once each');
    for (const signed of [root, assertion]) checkSignature(signed);
  } catch (error) {
    throw error instanceof MalformedXml ? new SignInRefused(error.message) : error;
  }
}

/**
 * Refuses repeated ids, and id attributes that are not spelled `ID`. Otherwise the signed element and the element that
 * is read could be different elements.
 */
function checkIds(elements: readonly XmlElement[]): void {
  const ids = elements.flatMap(({ attributes }) => Array.from(attributes).filter(({ localName, name }) => /^id$/i.test(localName ?? name)));
  if (ids.some(({ name }) => name !== 'ID')) throw new SignInRefused('an id attribute that is not spelled ID');
  if (new Set(ids.map(({ value }) => value)).size !== ids.length) throw new SignInRefused('an id that is repeated');
}

function checkSignature(signed: XmlElement): void {
  const signature = onlyChild(signed, DSIG, 'Signature');
  const elements = elementsIn(signature);
  const reference = onlyChild(onlyChild(signature, DSIG, 'SignedInfo'), DSIG, 'Reference');
  const id = attributeOf(signed, 'ID');
  if (!id || !/^[A-Za-z_][\w.-]{0,255}$/.test(id) || reference.getAttribute('URI') !== `#${id}`)
    throw new SignInRefused('a signature of another element');
  for (const element of elements) {
    if (!IN_SIGNATURE.has(element.localName)) throw new SignInRefused(`${element.localName.slice(0, 60)} in a signature`);
    const allowed = ALGORITHMS[element.localName];
    if (allowed && !allowed.includes(element.getAttribute('Algorithm'))) throw new SignInRefused('an algorithm that is not accepted');
  }
}
