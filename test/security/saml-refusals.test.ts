import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import type { RestResponse } from '../tenant.ts';
import { SamlWorld, type Statement, signingPair } from './saml-idp.ts';

const MINUTE_MS = 60_000;
/** The maximum accepted difference between the clocks of the platform and the identity provider. */
const SKEW_MS = 30_000;

/** The message of every 401 response to a SAML response. Only the audit log, which administrators read, contains the reason. */
const REFUSAL =
  "The identity provider's response was refused. Start the sign-in again. An administrator can find the reason in the audit records.";

let world: SamlWorld;
beforeAll(async () => {
  world = await SamlWorld.open();
});

const newcomer = (): string => world.address(randomUUID());

/** True if the user exists. The first sign-in creates the user, so an existing user has signed in. */
async function userExists(email: string): Promise<boolean> {
  const { data } = await world.tenant.graphql('query ($of: String!) { users(filter: { search: $of }) { nodes { id } } }', { of: email });
  return data.users.nodes.length > 0;
}

async function expectRefused(result: RestResponse, status: number, reason: RegExp, email: string): Promise<void> {
  expect(result.status, JSON.stringify(result.body)).toBe(status);
  expect(result.body.error.code).toBe(status === 401 ? 'INVALID_CREDENTIALS' : 'INVALID_PARAMETERS');
  if (status === 401) {
    const [record] = await world.audited();
    expect(record).toMatchObject({ event_type: 'authentication_failure', session_id: null, reason: expect.stringMatching(reason) });
    expect(result.body.error.message).toBe(REFUSAL);
  } else {
    expect(result.body.error.details).toMatchObject({ field: 'SAMLResponse', reason: expect.stringMatching(reason) });
  }
  expect(await userExists(email)).toBe(false);
}

test('a valid SAML response returns 200 and creates the user', async () => {
  const email = newcomer();
  expect((await world.signIn({ email })).status).toBe(200);
  expect(await userExists(email)).toBe(true);
});

test.each([
  ['ended', { notOnOrAfter: -SKEW_MS + 5000 }],
  ['starts', { notBefore: SKEW_MS - 5000 }],
])('a SAML response whose validity %s within the accepted clock difference returns 200', async (_, statement) => {
  expect((await world.signIn(statement)).status).toBe(200);
});

const SHA1 = 'http://www.w3.org/2000/09/xmldsig#rsa-sha1';
const change = (from: string | RegExp, to: string) => (xml: string) => {
  const changed = xml.replace(from, to);
  if (changed === xml) throw new Error(`There is no ${from} to change.`);
  return changed;
};
const SIGNATURE = /<ds:Signature .*?<\/ds:Signature>/g;

describe('refused SAML responses', () => {
  const cases: [string, RegExp, Statement | (() => Statement)][] = [
    ['with a signature only on the assertion', /must be signed/, { signs: 'assertion' }],
    ['with a signature only on the response', /must be signed/, { signs: 'response' }],
    ['that is not signed at all', /must be signed/, { tamper: change(SIGNATURE, '') }],
    ['whose address was changed after it was signed', /signature/, { tamper: (xml) => xml.replaceAll('@', '.evil@') }],
    [
      'whose status was changed after it was signed',
      /signature/,
      { status: 'Responder', tamper: change('status:Responder', 'status:Success') },
    ],
    ['whose long status would be cut within a character', /says x{59}/, { status: `${'x'.repeat(59)}😀` }],
    ['that is meant for another audience', /audience/, { audience: 'https://other.example.com' }],
    ['whose audience is the platform instead of the connection', /audience/, () => ({ audience: `${world.tenant.origin}/saml/metadata` })],
    ['that is meant for another recipient', /recipient/, { recipient: 'https://other.example.com/saml/acs' }],
    ['that is sent to another destination', /destination/, { destination: 'https://other.example.com/saml/acs' }],
    ['of another issuer', /issuer/, { issuer: 'https://other.example.com/idp' }],
    ['whose assertion is of another issuer', /issuer of the assertion/, { alter: change(/(<saml:Assertion [^>]*><saml:Issuer>)/, '$1x') }],
    ['that has expired', /expired/, { notOnOrAfter: -SKEW_MS - 1000 }],
    ['that was issued long ago, although it claims to be valid', /expired/, { issuedAt: -6 * MINUTE_MS, notOnOrAfter: 10 * MINUTE_MS }],
    ['that is not valid yet', /not yet valid/, { notBefore: SKEW_MS + 5000 }],
    ['to an unknown request', /no pending request/, { inResponseTo: `_${randomUUID()}` }],
    ['to no request', /answers no request/, { inResponseTo: undefined }],
    ['that reports a failure of the identity provider', /says Responder/, { status: 'Responder' }],
    ['that is signed with SHA-1', /algorithm/, { algorithm: SHA1 }],
    ['that claims an HMAC signature', /algorithm/, { tamper: change(/#rsa-sha256/g, '#hmac-sha256') }],
    ['whose canonicalization keeps comments', /algorithm/, { tamper: change('xml-exc-c14n#"/>', 'xml-exc-c14n#WithComments"/>') }],
    [
      'with extra elements in its signature',
      /Object in a signature/,
      { tamper: change('</ds:SignedInfo>', '</ds:SignedInfo><ds:Object/>') },
    ],
    ['without an email address', /email/, { email: null }],
    ['with an invalid email address', /email/, { email: 'grace' }],
    ['with two email addresses in one value', /email/, () => ({ email: `${newcomer()},${newcomer()}` })],
    ['with two email addresses', /email/, { alter: change(/(<saml:AttributeValue>.*?<\/saml:AttributeValue>)/, '$1$1') }],
    ['with the email address in two attributes', /is repeated/, { alter: change(/(<saml:Attribute .*?<\/saml:Attribute>)/, '$1$1') }],
    ['with an element in the email address', /only text/, { alter: change('<saml:AttributeValue>', '<saml:AttributeValue><b>a</b>') }],
    ['with an email address outside the domains of the connection', /outside/, { email: 'grace@elsewhere.example.com' }],
    ['with an email domain that only ends like one of the connection', /outside/, () => ({ email: `grace@evil${world.domain}` })],
    ['without a subject', /Subject/, { alter: change(/<saml:Subject>.*<\/saml:Subject>/, '') }],
    [
      'without subject confirmation',
      /SubjectConfirmation/,
      { alter: change(/<saml:SubjectConfirmation .*<\/saml:SubjectConfirmation>/, '') },
    ],
    ['with holder-of-key confirmation', /bearer/, { alter: change('cm:bearer', 'cm:holder-of-key') }],
    [
      'without NotOnOrAfter in its subject confirmation',
      /not valid|without an end|expired/,
      { alter: change(/NotOnOrAfter="[^"]*" Recipient/, 'Recipient') },
    ],
    ['without conditions', /not valid|Conditions|audience/, { alter: change(/<saml:Conditions.*<\/saml:Conditions>/, '') }],
    ['without an authentication statement', /authenticated/, { alter: change(/<saml:AuthnStatement.*<\/saml:AuthnStatement>/, '') }],
    [
      'whose session has ended',
      /session/,
      { alter: change('<saml:AuthnStatement ', '<saml:AuthnStatement SessionNotOnOrAfter="2020-01-01T00:00:00Z" ') },
    ],
    ['without a NameID', /NameID/, { alter: change(/<saml:NameID.*<\/saml:NameID>/, '') }],
    ['of another version', /version/, { alter: change('Version="2.0"', 'Version="1.1"') }],
    ['with extensions', /Extensions/, { alter: change('<samlp:Status>', '<samlp:Extensions/><samlp:Status>') }],
    [
      'with an id attribute in another spelling',
      /not spelled ID/,
      { alter: change('<saml:AuthnStatement ', '<saml:AuthnStatement Id="x" ') },
    ],
    [
      'with two assertions',
      /Assertion/,
      { alter: (xml) => xml.replace(/(<saml:Assertion .*<\/saml:Assertion>)/, (one) => one + one.replace(/ ID="_/, ' ID="_2')) },
    ],
    ['whose assertion is encrypted', /EncryptedAssertion/, { tamper: change(/(<\/saml:Assertion>)/, '$1<saml:EncryptedAssertion/>') }],
  ];

  test.each(cases)('a SAML response %s returns 401 INVALID_CREDENTIALS and creates no user', async (_, reason, given) => {
    const email = newcomer();
    const { id } = await world.begin();
    const statement = { email, inResponseTo: id, ...(typeof given === 'function' ? given() : given) };
    await expectRefused(await world.deliver(await world.respond(statement)), 401, reason, email);
  });

  test('a SAML response signed by an unregistered key returns 401, even if the response includes the certificate of this key', async () => {
    const email = newcomer();
    const { id } = await world.begin();
    const response = await world.respond({ email, inResponseTo: id, signedBy: await signingPair() });
    await expectRefused(await world.deliver(response), 401, /signature/, email);
  });

  test('a SAML response with a forged signature returns 401 before the digests of its content are checked', async () => {
    const email = newcomer();
    const tamper = (xml: string) => xml.replaceAll('@', '.evil@');
    const forged = async (statement: Statement) => {
      const { id } = await world.begin();
      return world.deliver(await world.respond({ email, inResponseTo: id, tamper, ...statement }));
    };
    await expectRefused(await forged({ signedBy: await signingPair() }), 401, /^signature by none of the keys/, email);
    await expectRefused(await forged({}), 401, /^signature;/, email);
  });

  test('a SAML response that is sent a second time returns 401', async () => {
    const { id } = await world.begin();
    const response = await world.respond({ inResponseTo: id });
    expect((await world.deliver(response)).status).toBe(200);
    await expectRefused(await world.deliver(response), 401, /no pending request/, newcomer());
  });

  test('exactly one of four concurrent copies of a SAML response is accepted, and the others return 401', async () => {
    const { id } = await world.begin();
    const response = await world.respond({ inResponseTo: id });
    const results = await Promise.all([1, 2, 3, 4].map(() => world.deliver(response)));
    expect(results.map(({ status }) => status).toSorted()).toEqual([200, 401, 401, 401]);
  });

  test('a SAML response returns 401 if its request is older than 15 minutes', async () => {
    const { id } = await world.begin();
    await world.platform.advance(16 * MINUTE_MS);
    const email = newcomer();
    await expectRefused(await world.deliver(await world.respond({ email, inResponseTo: id })), 401, /no pending request/, email);
  });

  test('a SAML response to the request of another connection returns 401', async () => {
    const other = await SamlWorld.open();
    const email = newcomer();
    const { id } = await other.begin();
    const result = await world.deliver(await world.respond({ email, inResponseTo: id }));
    expect(result.status).toBe(401);
    expect(await userExists(email)).toBe(false);
  });

  test('a SAML response of an inactive connection returns 401', async () => {
    const own = await SamlWorld.open();
    const { id } = await own.begin();
    const response = await own.respond({ inResponseTo: id });
    await own.update({ active: false });
    expect((await own.deliver(response)).status).toBe(401);
  });
});

describe('XML signature wrapping', () => {
  interface Parts {
    /** The signed response; `responseSignature` is its signature, `bare` is the response without the signature. */
    xml: string;
    responseSignature: string;
    bare: string;
    /** The signed assertion; `bareAssertion` is the assertion without `assertionSignature`. */
    assertion: string;
    assertionSignature: string;
    bareAssertion: string;
    /** The attacker's assertion, which is unsigned and has a new id. */
    evil: string;
    evilResponse(assertion: string, extra?: string): string;
  }

  function partsOf(xml: string, evilEmail: string): Parts {
    const assertion = /<saml:Assertion .*<\/saml:Assertion>/.exec(xml)?.[0] ?? '';
    const [responseSignature = '', assertionSignature = ''] = xml.match(SIGNATURE) ?? [];
    const bare = xml.replace(responseSignature, '');
    const bareAssertion = assertion.replace(assertionSignature, '');
    const evil = bareAssertion.replace(/ ID="[^"]*"/, ` ID="_${randomUUID()}"`).replace(/(<saml:AttributeValue>)[^<]*/, `$1${evilEmail}`);
    const evilResponse = (inner: string, extra = '') =>
      bare
        .replace(/ ID="[^"]*"/, ` ID="_${randomUUID()}"`)
        .replace(assertion, inner)
        .replace('<samlp:Status>', `${extra}<samlp:Status>`);
    return { xml, responseSignature, bare, assertion, assertionSignature, bareAssertion, evil, evilResponse };
  }

  const inside = (element: string, last: string, more: string): string => element.replace(new RegExp(`${last}$`), `${more}${last}`);
  const signedEvil = ({ evil }: Parts, signature: string): string => evil.replace('</saml:Issuer>', `</saml:Issuer>${signature}`);

  const variants: Record<string, (parts: Parts) => string> = {
    'XSW1: the signed response inside the signature of a forged response': (parts) =>
      parts.evilResponse(parts.evil, inside(parts.responseSignature, '</ds:Signature>', parts.bare)),
    'XSW2: the signed response next to its signature in a forged response': (parts) =>
      parts.evilResponse(parts.evil, parts.bare + parts.responseSignature),
    'XSW3: a forged assertion before the signed assertion': ({ xml, assertion, evil }) => xml.replace(assertion, evil + assertion),
    'XSW4: the signed assertion inside a forged assertion': ({ xml, assertion, evil }) =>
      xml.replace(assertion, inside(evil, '</saml:Assertion>', assertion)),
    'XSW5: the signature in a forged assertion, followed by the signed assertion': (parts) =>
      parts.xml.replace(parts.assertion, signedEvil(parts, parts.assertionSignature) + parts.bareAssertion),
    'XSW6: the signed assertion inside its signature in a forged assertion': (parts) =>
      parts.xml.replace(parts.assertion, signedEvil(parts, inside(parts.assertionSignature, '</ds:Signature>', parts.bareAssertion))),
    'XSW7: a forged assertion in the extensions': ({ xml, evil }) =>
      xml.replace('<samlp:Status>', `<samlp:Extensions>${evil}</samlp:Extensions><samlp:Status>`),
    'XSW8: the signed assertion in an object of the signature of a forged assertion': (parts) =>
      parts.xml.replace(
        parts.assertion,
        signedEvil(parts, inside(parts.assertionSignature, '</ds:Signature>', `<ds:Object>${parts.bareAssertion}</ds:Object>`)),
      ),
    'the signed response in the status detail of a forged response': (parts) =>
      parts.evilResponse(parts.evil).replace('</samlp:Status>', `<samlp:StatusDetail>${parts.xml}</samlp:StatusDetail></samlp:Status>`),
    'the signed assertion in the advice of a forged assertion': (parts) =>
      parts.xml.replace(
        parts.assertion,
        parts.evil.replace('<saml:Subject>', `<saml:Advice>${parts.assertion}</saml:Advice><saml:Subject>`),
      ),
    'a forged assertion with the id of the signed assertion': ({ xml, assertion, evil }) =>
      xml.replace(assertion, evil.replace(/ ID="[^"]*"/, / ID="[^"]*"/.exec(assertion)?.[0] ?? '') + assertion),
    'a forged assertion in another namespace': ({ xml, assertion, evil }) =>
      xml.replace(assertion, evil.replaceAll('saml:', 'x:').replace('<x:Assertion ', '<x:Assertion xmlns:x="urn:x" ') + assertion),
  };

  test.each(Object.entries(variants))(
    'a SAML response with XML signature wrapping returns 401 and creates no user: %s',
    async (_, wrap) => {
      const [email, evilEmail] = [newcomer(), newcomer()];
      const { id } = await world.begin();
      const response = await world.respond({ email, inResponseTo: id, tamper: (xml) => wrap(partsOf(xml, evilEmail)) });
      expect(Buffer.from(response, 'base64').toString()).toContain(evilEmail);
      const result = await world.deliver(response);
      await expectRefused(result, 401, /./, evilEmail);
      expect(await userExists(email)).toBe(false);
    },
  );
});

describe('malformed SAML responses', () => {
  const texts: [string, RegExp, Statement][] = [
    ['a document type', /document type/, { tamper: (xml) => `<!DOCTYPE Response>${xml}` }],
    ['entities', /document type/, { tamper: (xml) => `<!DOCTYPE x [<!ENTITY a "b">]>${xml}`.replace('@', '&a;@') }],
    ['an undeclared entity', /entity/, { tamper: change('@', '&a;@') }],
    ['a comment in the NameID', /comment/, { alter: change(/@([^<]*<\/saml:NameID>)/, '@<!-- -->$1') }],
    ['a comment in the address', /comment/, { alter: change(/@([^<]*<\/saml:AttributeValue>)/, '@<!-- -->$1') }],
    ['a comment inserted after signing', /comment/, { tamper: change(/@([^<]*<\/saml:AttributeValue>)/, '@<!-- -->$1') }],
    ['a CDATA section', /CDATA/, { tamper: change(/>([^<]*)<\/saml:NameID>/, '><![CDATA[$1]]></saml:NameID>') }],
    ['a processing instruction', /instruction/, { tamper: change('<samlp:Status>', '<?x y?><samlp:Status>') }],
    ['another encoding', /instruction/, { tamper: (xml) => `<?xml version="1.0" encoding="UTF-7"?>${xml}` }],
    ['two root elements', /root|well-formed/, { tamper: (xml) => xml + xml }],
    ['text after the root element', /root|well-formed/, { tamper: (xml) => `${xml}x` }],
    ['an unclosed element', /well-formed/, { tamper: change('</saml:Subject>', '') }],
    ['too deeply nested elements', /deep/, { tamper: change('<samlp:Status>', `${'<a>'.repeat(500)}${'</a>'.repeat(500)}<samlp:Status>`) }],
    ['too many elements', /elements/, { tamper: change('<samlp:Status>', `${'<a/>'.repeat(2001)}<samlp:Status>`) }],
    ['another message', /Response/, { tamper: (xml) => xml.replaceAll('samlp:Response', 'samlp:LogoutResponse') }],
  ];

  test.each(texts)(
    'a SAML response with unsafe or malformed XML returns 400 before its signature is checked: %s',
    async (_, reason, statement) => {
      const email = newcomer();
      const { id } = await world.begin();
      await expectRefused(await world.deliver(await world.respond({ email, inResponseTo: id, ...statement })), 400, reason, email);
    },
  );

  test.each([
    ['nothing', ''],
    ['invalid Base64', '<samlp:Response/>'],
    ['Base64 followed by other text', 'PHgvPg==PHgvPg=='],
    ['invalid UTF-8', Buffer.from([0x3c, 0xff, 0xfe, 0x3e]).toString('base64')],
    ['UTF-16', Buffer.from('<x/>', 'utf16le').toString('base64')],
    ['a null character', Buffer.from('<x>\0</x>').toString('base64')],
    ['garbage', Buffer.from('garbage').toString('base64')],
    ['too much data', Buffer.alloc(200_000, 60).toString('base64')],
  ])('a SAML response that cannot be decoded returns 400: %s', async (_, text) => {
    const { status, body } = await world.deliver(text);
    expect(status, JSON.stringify(body)).toBe(400);
    expect(body.error.details.field).toBe('SAMLResponse');
  });

  test('POST /saml/acs returns 413 for a large body, 400 for a repeated parameter and 415 for JSON', async () => {
    expect((await world.deliver('A'.repeat(800_000))).status).toBe(413);
    const twice = new URLSearchParams([
      ['SAMLResponse', 'a'],
      ['SAMLResponse', 'b'],
    ]);
    expect((await world.post('/saml/acs', twice)).status).toBe(400);
    const json = { method: 'POST', body: '{}', headers: { 'content-type': 'application/json' } };
    const refused = await fetch(`${world.tenant.origin}/saml/acs`, json);
    expect(refused.status).toBe(415);
    expect(await refused.text()).toContain('application/x-www-form-urlencoded');
  });
});
