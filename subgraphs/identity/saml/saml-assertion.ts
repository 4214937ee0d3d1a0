import { normalizedEmail } from '../../../kernel/values/email.ts';
import { attributeOf, childrenNamed, MalformedXml, onlyChild, parseXml, textOf, type XmlElement } from '../saml-xml/saml-xml.ts';
import { SignInRefused } from './saml.errors.ts';
import { ASSERTION } from './saml-response.ts';

const BEARER = 'urn:oasis:names:tc:SAML:2.0:cm:bearer';
const NAME_LENGTH = 200;

/** The user that an assertion describes. */
export interface AssertedIdentity {
  assertionId: string;
  /** E-mail address of the user in lower case, as it is stored. */
  email: string;
  groups: string[];
  name: string | undefined;
  /** Time from which the assertion is refused as expired. */
  expiresAt: Date;
}

export interface Expected {
  acsUrl: string;
  idpEntityId: string;
  inResponseTo: string | undefined;
  now: Date;
  clockSkewMs: number;
}

/**
 * Reads an assertion from the text whose signature was verified. Checks the rules of the Web Browser SSO profile that
 * the signature check does not cover (SAML 2.0 Profiles, 4.1.4.3).
 * @throws SignInRefused
 */
export async function readAssertion(signedText: string, expected: Expected): Promise<AssertedIdentity> {
  try {
    const assertion = await parseXml(signedText);
    if (textOf(onlyChild(assertion, ASSERTION, 'Issuer')) !== expected.idpEntityId) throw new SignInRefused('issuer of the assertion');
    const expiresAt = checkConfirmation(assertion, expected);
    onlyChild(assertion, ASSERTION, 'Conditions');
    checkSession(assertion, expected);
    const attributes = attributesOf(assertion);
    return {
      assertionId: assertion.getAttribute('ID'),
      email: emailOf(attributes),
      groups: attributes.get('groups') ?? [],
      name: attributes.get('name')?.[0]?.slice(0, NAME_LENGTH),
      expiresAt,
    };
  } catch (error) {
    throw error instanceof MalformedXml ? new SignInRefused(`the assertion ${error.message}`) : error;
  }
}

/**
 * Requires exactly one SubjectConfirmation: a bearer confirmation for `acsUrl` and `inResponseTo` that has an expiry and
 * is valid at `now`. Returns the expiry plus `clockSkewMs`.
 * @throws SignInRefused
 */
function checkConfirmation(assertion: XmlElement, { acsUrl, inResponseTo, now, clockSkewMs }: Expected): Date {
  const subject = onlyChild(assertion, ASSERTION, 'Subject');
  if (textOf(onlyChild(subject, ASSERTION, 'NameID')) === '') throw new SignInRefused('no NameID');
  const confirmation = onlyChild(subject, ASSERTION, 'SubjectConfirmation');
  const data = onlyChild(confirmation, ASSERTION, 'SubjectConfirmationData');
  if (confirmation.getAttribute('Method') !== BEARER) throw new SignInRefused('a confirmation that is not bearer');
  if (data.getAttribute('Recipient') !== acsUrl) throw new SignInRefused('recipient');
  if (attributeOf(data, 'InResponseTo') !== inResponseTo) throw new SignInRefused('the assertion answers another request');
  const notOnOrAfter = instantOf(data, 'NotOnOrAfter');
  if (!notOnOrAfter) throw new SignInRefused('a confirmation without an end');
  const expiresAt = new Date(notOnOrAfter.getTime() + clockSkewMs);
  if (expiresAt <= now) throw new SignInRefused('expired');
  const notBefore = instantOf(data, 'NotBefore');
  if (notBefore && notBefore.getTime() - clockSkewMs > now.getTime()) throw new SignInRefused('not yet valid');
  return expiresAt;
}

function checkSession(assertion: XmlElement, { now, clockSkewMs }: Expected): void {
  const [statement, ...more] = childrenNamed(assertion, ASSERTION, 'AuthnStatement');
  if (!statement || more.length > 0) throw new SignInRefused('the assertion must say once that the user was authenticated');
  const end = instantOf(statement, 'SessionNotOnOrAfter');
  if (end && end.getTime() + clockSkewMs <= now.getTime()) throw new SignInRefused("the identity provider's session is over");
}

function instantOf(element: XmlElement, name: string): Date | undefined {
  const text = attributeOf(element, name);
  if (text === undefined) return undefined;
  const instant = new Date(text);
  if (Number.isNaN(instant.getTime()) || !text.endsWith('Z')) throw new SignInRefused(`${name} is no UTC timestamp`);
  return instant;
}

function attributesOf(assertion: XmlElement): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const statement of childrenNamed(assertion, ASSERTION, 'AttributeStatement')) {
    for (const attribute of childrenNamed(statement, ASSERTION, 'Attribute')) {
      const name = attribute.getAttribute('Name');
      if (!['email', 'groups', 'name'].includes(name)) continue;
      if (found.has(name)) throw new SignInRefused(`the attribute ${name} is repeated`);
      found.set(name, childrenNamed(attribute, ASSERTION, 'AttributeValue').map(textOf));
    }
  }
  return found;
}

function emailOf(attributes: ReadonlyMap<string, string[]>): string {
  const [email, ...more] = attributes.get('email') ?? [];
  const normalized = email && more.length === 0 ? normalizedEmail(email) : undefined;
  if (!normalized) throw new SignInRefused('the attribute email must be one e-mail address');
  return normalized.toLowerCase();
}
