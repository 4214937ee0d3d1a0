import 'reflect-metadata';
import { randomBytes, randomUUID } from 'node:crypto';
import { inflateRawSync } from 'node:zlib';
import { X509CertificateGenerator } from '@peculiar/x509';
import { IdentityProvider, ServiceProvider, setSchemaValidator } from 'samlify';
import { type Rig, rig } from '../rig.ts';
import type { Json, RestResponse, Tenant } from '../tenant.ts';

// samlify requires a validator; these tests let samlify read only documents that it created
setSchemaValidator({ validate: () => Promise.resolve('ok') });

const RSA = { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256', publicExponent: new Uint8Array([1, 0, 1]), modulusLength: 2048 };
const REDIRECT = 'urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect';
const MINUTE_MS = 60_000;

export interface SigningPair {
  privateKey: string;
  certificate: string;
}

/** Generates a key and its self-signed certificate. */
export async function signingPair(modulusLength = 2048): Promise<SigningPair> {
  const keys = await crypto.subtle.generateKey({ ...RSA, modulusLength }, true, ['sign', 'verify']);
  const notBefore = new Date(Date.now() - MINUTE_MS);
  const certificate = await X509CertificateGenerator.createSelfSigned({
    serialNumber: randomBytes(8).toString('hex'),
    name: 'CN=Test identity provider',
    notBefore,
    notAfter: new Date(notBefore.getTime() + 1000 * MINUTE_MS),
    signingAlgorithm: RSA,
    keys,
  });
  const pkcs8 = Buffer.from(await crypto.subtle.exportKey('pkcs8', keys.privateKey)).toString('base64');
  const privateKey = `-----BEGIN PRIVATE KEY-----\n${pkcs8.replace(/.{64}/g, '$&\n')}\n-----END PRIVATE KEY-----\n`;
  return { privateKey, certificate: certificate.toString('pem') };
}

/** The properties of a SAML response that a test sets. All other properties have correct values. */
export interface Statement {
  email?: string | null;
  groups?: string[];
  inResponseTo?: string | undefined;
  audience?: string;
  recipient?: string;
  destination?: string;
  issuer?: string;
  /** Milliseconds from the platform's current time to the start of the validity. `notOnOrAfter` and `issuedAt` also count from now. */
  notBefore?: number;
  notOnOrAfter?: number;
  issuedAt?: number;
  status?: string;
  assertionId?: string;
  /** Changes the XML before it is signed. */
  alter?: (xml: string) => string;
  /** Changes the signed XML. */
  tamper?: (xml: string) => string;
  signs?: 'both' | 'assertion' | 'response';
  signedBy?: SigningPair;
  algorithm?: string;
}

let pair: Promise<SigningPair> | undefined;
/** A key shared by all tests that need no separate key, because generating keys is slow. */
export const sharedPair = (): Promise<SigningPair> => {
  pair ??= signingPair();
  return pair;
};

/** An organization with its own identity provider (samlify). */
export class SamlWorld {
  readonly domain = `${randomUUID()}.example.com`;
  readonly idpEntityId = `https://${this.domain}/idp`;
  readonly ssoUrl = `https://${this.domain}/sso`;
  connection: Json;
  #metadata = '';

  private constructor(
    readonly platform: Rig,
    readonly tenant: Tenant,
    readonly keys: SigningPair,
  ) {}

  static async open(more: Record<string, unknown> = {}): Promise<SamlWorld> {
    const platform = await rig();
    const world = new SamlWorld(platform, await platform.organization({ plan: 'custom' }), await sharedPair());
    await world.connect(more);
    return world;
  }

  async connect(more: Record<string, unknown> = {}, tenant = this.tenant): Promise<void> {
    const body = { ...this.input(), ...more };
    const response = await tenant.rest('POST', '/auth/saml-connections', { body });
    if (response.status !== 201) throw new Error(JSON.stringify(response.body));
    this.connection = response.body.data;
    await this.prove(tenant);
    await this.readMetadata();
  }

  /** Loads the platform's metadata into the identity provider. */
  async readMetadata(): Promise<void> {
    this.#metadata = await (await fetch(this.connection.sp_entity_id)).text();
  }

  /** Publishes the TXT records of the connection's domains and verifies the domains. */
  async prove(tenant = this.tenant, { id, domains } = this.connection): Promise<void> {
    for (const { txt_name: name, txt_value: value } of domains) {
      const others = this.platform.dns.get(name);
      this.platform.dns.set(name, [...(Array.isArray(others) ? others : []), value]);
    }
    await verifyDomains(tenant, id);
  }

  /** The body that registers this identity provider as a SAML connection. */
  input(): Record<string, unknown> {
    return {
      name: 'Test',
      email_domains: [this.domain],
      idp_entity_id: this.idpEntityId,
      sso_url: this.ssoUrl,
      certificates: [this.keys.certificate],
      default_role: 'member',
      allow_provisioning: true,
    };
  }

  address = (name = 'grace'): string => `${name}@${this.domain}`;

  async update(body: Record<string, unknown>): Promise<RestResponse> {
    return this.tenant.rest('PUT', `/auth/saml-connections/${this.connection.id}`, { body });
  }

  /** Invites a user. An invited user has no password. */
  async user(role: string, email = this.address(), tenant = this.tenant): Promise<Json> {
    const account = await tenant.rest('POST', '/accounts', { body: { name: 'Acme', email: 'it@acme.example.com' } });
    const mutation =
      'mutation ($on: ID!, $input: UserInviteInput!) { inviteUser(accountId: $on, input: $input) { id accountId role status } }';
    const { data, errors } = await tenant.graphql(mutation, { on: account.body.data.id, input: { email, name: 'Grace', role } });
    if (errors) throw new Error(JSON.stringify(errors));
    return data.inviteUser;
  }

  /** Sends GET /saml/sso like a browser, without following the redirect. */
  async begin(query: Record<string, string> = { connection: this.connection.id }): Promise<Begun> {
    const response = await fetch(`${this.tenant.origin}/saml/sso?${new URLSearchParams(query)}`, { redirect: 'manual' });
    const body = response.status === 302 ? undefined : await response.json();
    const location = response.headers.get('location') ?? '';
    const cookie = response.headers.get('set-cookie')?.split(';', 1)[0];
    const sent = location ? new URL(location).searchParams : new URLSearchParams();
    const xml = location ? inflateRawSync(Buffer.from(sent.get('SAMLRequest') ?? '', 'base64')).toString() : '';
    const id = / ID="([^"]+)"/.exec(xml)?.[1] ?? '';
    return { status: response.status, headers: response.headers, body, location, cookie, xml, id, relayState: sent.get('RelayState') };
  }

  /** Returns a SAML response of the identity provider, encoded in Base64. */
  async respond(statement: Statement = {}): Promise<string> {
    const { signs = 'both', signedBy = this.keys, algorithm = 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256' } = statement;
    const metadata =
      signs === 'response' ? this.#metadata.replace('WantAssertionsSigned="true"', 'WantAssertionsSigned="false"') : this.#metadata;
    const sp = ServiceProvider({ metadata, wantMessageSigned: signs !== 'assertion' } as never);
    const idp = IdentityProvider({
      entityID: this.idpEntityId,
      privateKey: signedBy.privateKey,
      signingCert: signedBy.certificate,
      requestSignatureAlgorithm: algorithm,
      isAssertionEncrypted: false,
      singleSignOnService: [{ Binding: REDIRECT, Location: this.ssoUrl }],
      singleLogoutService: [{ Binding: REDIRECT, Location: this.ssoUrl }],
    });
    const { alter = (xml: string) => xml, tamper = (xml: string) => xml } = statement;
    const context = alter(this.#xml(statement));
    const { context: signed } = await idp.createLoginResponse(sp, {} as never, 'post', {}, () => ({ id: 'unused', context }));
    return Buffer.from(tamper(Buffer.from(signed, 'base64').toString())).toString('base64');
  }

  /** Sends POST /saml/acs like a browser. */
  async deliver(
    samlResponse: string,
    { relayState, cookie }: { relayState?: string; cookie?: string | undefined } = {},
  ): Promise<RestResponse> {
    const body = new URLSearchParams({ SAMLResponse: samlResponse, ...(relayState !== undefined && { RelayState: relayState }) });
    return this.post('/saml/acs', body, cookie);
  }

  async post(path: string, body: URLSearchParams, cookie?: string): Promise<RestResponse> {
    const headers = { 'user-agent': 'Test browser', ...(cookie && { cookie }) };
    const response = await fetch(`${this.tenant.origin}${path}`, { method: 'POST', body, headers, redirect: 'manual' });
    const text = await response.text();
    return { status: response.status, headers: response.headers, body: text ? JSON.parse(text) : undefined };
  }

  /** Completes a sign-in that the platform starts. */
  async signIn(statement: Statement = {}): Promise<RestResponse> {
    const { id } = await this.begin();
    return this.deliver(await this.respond({ inResponseTo: id, ...statement }));
  }

  /** The organization's audit records with the authentication method SAML, newest first. */
  async audited(): Promise<Json[]> {
    const { body } = await this.tenant.rest('GET', '/auth/audit?limit=200');
    return body.data.filter((record: Json) => record.authentication_method === 'saml');
  }

  #xml(statement: Statement): string {
    const { spEntityId, acsUrl } = { spEntityId: this.connection.sp_entity_id, acsUrl: this.connection.acs_url };
    const { email = this.address(), groups, inResponseTo, audience = spEntityId, recipient = acsUrl, destination = acsUrl } = statement;
    const { issuer = this.idpEntityId, notBefore = -1000, notOnOrAfter = 4 * MINUTE_MS, issuedAt = 0, status = 'Success' } = statement;
    const { assertionId = `_${randomUUID()}` } = statement;
    const at = (ms: number) => new Date(this.platform.clock.now().getTime() + ms).toISOString();
    const inResponseToAttribute = inResponseTo ? ` InResponseTo="${inResponseTo}"` : '';
    const attribute = (name: string, values: string[]) =>
      `<saml:Attribute Name="${name}">${values.map((value) => `<saml:AttributeValue>${value}</saml:AttributeValue>`).join('')}</saml:Attribute>`;
    const attributes = [email === null ? '' : attribute('email', [email]), groups ? attribute('groups', groups) : ''].join('');
    return [
      `<samlp:Response xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol" xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion" ID="_${randomUUID()}" Version="2.0" IssueInstant="${at(issuedAt)}" Destination="${destination}"${inResponseToAttribute}>`,
      `<saml:Issuer>${issuer}</saml:Issuer>`,
      `<samlp:Status><samlp:StatusCode Value="urn:oasis:names:tc:SAML:2.0:status:${status}"/></samlp:Status>`,
      `<saml:Assertion ID="${assertionId}" Version="2.0" IssueInstant="${at(issuedAt)}">`,
      `<saml:Issuer>${issuer}</saml:Issuer>`,
      `<saml:Subject><saml:NameID Format="urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress">${email ?? 'nobody'}</saml:NameID>`,
      '<saml:SubjectConfirmation Method="urn:oasis:names:tc:SAML:2.0:cm:bearer">',
      `<saml:SubjectConfirmationData NotOnOrAfter="${at(notOnOrAfter)}" Recipient="${recipient}"${inResponseToAttribute}/>`,
      '</saml:SubjectConfirmation></saml:Subject>',
      `<saml:Conditions NotBefore="${at(notBefore)}" NotOnOrAfter="${at(notOnOrAfter)}">`,
      `<saml:AudienceRestriction><saml:Audience>${audience}</saml:Audience></saml:AudienceRestriction></saml:Conditions>`,
      `<saml:AuthnStatement AuthnInstant="${at(issuedAt)}"><saml:AuthnContext><saml:AuthnContextClassRef>urn:oasis:names:tc:SAML:2.0:ac:classes:Password</saml:AuthnContextClassRef></saml:AuthnContext></saml:AuthnStatement>`,
      `<saml:AttributeStatement>${attributes}</saml:AttributeStatement>`,
      '</saml:Assertion></samlp:Response>',
    ].join('');
  }
}

export async function verifyDomains(tenant: Tenant, id: string): Promise<Json[]> {
  const mutation =
    'mutation ($id: ID!) { verifySamlDomains(id: $id) { domains { domain status problem worksUntil provenAt txtName txtValue } } }';
  const { data, errors } = await tenant.graphql(mutation, { id });
  if (errors) throw new Error(JSON.stringify(errors));
  return data.verifySamlDomains.domains;
}

/** The result of GET /saml/sso. */
export interface Begun {
  status: number;
  headers: Headers;
  body: Json;
  location: string;
  cookie: string | undefined;
  /** The AuthnRequest that the identity provider receives; `id` is its ID. */
  xml: string;
  id: string;
  relayState: string | null;
}
