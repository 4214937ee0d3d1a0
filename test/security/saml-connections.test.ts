import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { IdentityProvider } from 'samlify';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { rig } from '../rig.ts';
import type { Json, RestResponse } from '../tenant.ts';
import { SamlWorld, sharedPair, signingPair } from './saml-idp.ts';

const PATH = '/auth/saml-connections';
const REDIRECT = 'urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect';

let world: SamlWorld;
let metadata: string;
/** The next response of the metadata server. */
let served: { status: number; body: string; location?: string };
const host = createServer((_, response) => {
  response.writeHead(served.status, served.location ? { location: served.location } : {}).end(served.body);
});
let metadataUrl: string;

beforeAll(async () => {
  world = await SamlWorld.open();
  const { certificate } = await sharedPair();
  metadata = IdentityProvider({
    entityID: 'https://idp.example.com/metadata',
    signingCert: certificate,
    singleSignOnService: [{ Binding: REDIRECT, Location: 'https://idp.example.com/sso' }],
    singleLogoutService: [{ Binding: REDIRECT, Location: 'https://idp.example.com/slo' }],
  }).getMetadata();
  await new Promise<void>((resolve) => host.listen(0, '127.0.0.1', resolve));
  metadataUrl = `http://127.0.0.1:${(host.address() as AddressInfo).port}/metadata`;
});
afterAll(() => {
  host.close();
  host.closeAllConnections();
});

const newDomain = (): string => `${randomUUID()}.example.com`;
const create = (body: Json): Promise<RestResponse> =>
  world.tenant.rest('POST', PATH, { body: { name: 'Test', email_domains: [newDomain()], ...body } });
const count = async (): Promise<number> => (await world.tenant.rest('GET', PATH)).body.pagination.total;

describe('SAML connections', () => {
  test('a new SAML connection contains the addresses of the service provider before its identity provider is configured', async () => {
    const { status, body } = await create({});
    expect(status).toBe(201);
    const { origin } = world.tenant;
    expect(body.data).toMatchObject({
      id: expect.stringMatching(/^saml_/),
      sp_entity_id: `${origin}/saml/metadata?connection=${body.data.id}`,
      acs_url: `${origin}/saml/acs`,
      sign_in_url: `${origin}/saml/sso?connection=${body.data.id}`,
      idp_entity_id: null,
      certificates: [],
      default_role: null,
      role_mappings: [],
      allow_provisioning: false,
      allow_idp_initiated: false,
      active: false,
    });
    expect(JSON.stringify(body)).not.toContain('grants');
    const published = await fetch(body.data.sp_entity_id);
    expect([published.status, await published.text()]).toEqual([200, expect.stringContaining(`Location="${origin}/saml/acs"`)]);
    expect((await fetch(`${origin}/saml/metadata?connection=saml_nowhere`)).status).toBe(404);
    const refused = await world.tenant.rest('PUT', `${PATH}/${body.data.id}`, { body: { active: true } });
    expect([refused.status, refused.body.error.code]).toEqual([409, 'INVALID_STATE']);
    const completed = await world.tenant.rest('PUT', `${PATH}/${body.data.id}`, { body: { metadata_xml: metadata, active: true } });
    expect(completed.body.data).toMatchObject({ active: true, sso_url: 'https://idp.example.com/sso' });
  });

  test('a SAML connection can be listed, read, updated and deleted, and a new connection can then use its email domain', async () => {
    const domain = newDomain();
    const { data } = (await create({ email_domains: [domain.toUpperCase(), domain] })).body;
    expect(data.email_domains).toEqual([domain]);
    expect((await world.tenant.rest('GET', PATH)).body.data.map(({ id }: Json) => id)).toContain(data.id);
    const changed = await world.tenant.rest('PUT', `${PATH}/${data.id}`, { body: { role_mappings: [{ group: 'noc', role: 'support' }] } });
    expect(changed.body.data.role_mappings).toEqual([{ group: 'noc', role: 'support' }]);
    expect((await world.tenant.rest('GET', `${PATH}/${data.id}`)).body.data).toEqual(changed.body.data);
    expect((await world.tenant.rest('DELETE', `${PATH}/${data.id}`)).body.data.id).toBe(data.id);
    expect((await world.tenant.rest('GET', `${PATH}/${data.id}`)).status).toBe(404);
    expect((await create({ email_domains: [domain] })).status).toBe(201);
  });

  test('claiming an email domain twice in an organization returns 409, and another organization can claim the domain', async () => {
    const taken = await create({ email_domains: [newDomain(), world.domain] });
    expect([taken.status, taken.body.error.code]).toEqual([409, 'DUPLICATE_RESOURCE']);
    const stranger = await (await rig()).organization();
    const body = { name: 'Squatter', email_domains: [newDomain(), world.domain] };
    const claimed = await stranger.rest('POST', PATH, { body });
    expect(claimed.status).toBe(201);
    expect(claimed.body.data.domains.map(({ status }: Json) => status)).toEqual(['claimed', 'claimed']);
    expect(JSON.stringify(claimed.body)).not.toContain(world.tenant.organizationId);
  });

  test('the audit log records the creation and update of a SAML connection', async () => {
    const own = await SamlWorld.open();
    await own.update({ name: 'Other' });
    const { body } = await own.tenant.rest('GET', '/auth/audit');
    expect(body.data.map(({ event_type }: Json) => event_type)).toEqual(
      expect.arrayContaining(['saml_connection_created', 'saml_connection_updated']),
    );
  });

  test('listing SAML connections runs the same number of SQL statements for any number of connections', async () => {
    const { tenant, platform } = await SamlWorld.open();
    const list = () => platform.statements(() => tenant.rest('GET', PATH));
    await list();
    const few = await list();
    for (const name of ['a', 'b', 'c']) await tenant.rest('POST', PATH, { body: { name, email_domains: [newDomain()] } });
    expect((await list()).length).toBe(few.length);
  });
});

describe('SAML certificates', () => {
  test('a SAML connection with two certificates accepts responses signed by the key of either certificate', async () => {
    const own = await SamlWorld.open();
    const next = await signingPair();
    expect((await own.signIn({ signedBy: next })).status).toBe(401);
    await own.update({ certificates: [own.keys.certificate, next.certificate] });
    expect((await own.signIn({ signedBy: next })).status).toBe(200);
    expect((await own.signIn()).status).toBe(200);
    await own.update({ certificates: [next.certificate] });
    expect((await own.signIn()).status).toBe(401);
  });

  test('a SAML certificate may be given without the PEM header and footer', async () => {
    const bare = world.keys.certificate.replace(/-----.*-----|\s/g, '');
    const { body } = await create({ certificates: [bare] });
    expect(body.data.certificates[0]).toMatch(/^-----BEGIN CERTIFICATE-----\n/);
  });
});

describe('SAML metadata of an identity provider', () => {
  const expected = { idp_entity_id: 'https://idp.example.com/metadata', sso_url: 'https://idp.example.com/sso', active: true };

  test('SAML metadata sent as XML sets the entity id, the sign-in address and the certificates', async () => {
    const commented = `<?xml version="1.0" encoding="UTF-8"?>\n<!-- made by hand -->${metadata}`;
    const { body } = await create({ metadata_xml: commented });
    expect(body.data).toMatchObject(expected);
    expect(body.data.certificates).toEqual([expect.stringContaining('BEGIN CERTIFICATE')]);
  });

  test('SAML metadata is fetched from the URL in metadata_url', async () => {
    served = { status: 200, body: metadata };
    const { body } = await create({ metadata_url: metadataUrl });
    expect(body.data).toMatchObject({ ...expected, metadata_url: metadataUrl });
  });

  test.each([
    ['returns 404', () => ({ status: 404, body: metadata })],
    ['redirects', () => ({ status: 302, body: '', location: metadataUrl })],
    ['is too long', () => ({ status: 200, body: `${metadata}${' '.repeat(1_100_000)}` })],
    ['returns something other than metadata', () => ({ status: 200, body: '<html></html>' })],
  ])('creating a SAML connection with a metadata URL that %s returns 400', async (_, serve) => {
    served = serve();
    const before = await count();
    const { status, body } = await create({ metadata_url: metadataUrl });
    expect([status, body.error.details.field]).toEqual([400, 'metadata_url']);
    expect(await count()).toBe(before);
  });

  test.each([
    ['a document type', () => `<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]>${metadata}`],
    ['no entity id', () => metadata.replace(/entityID="[^"]*"/, '')],
    ['no redirect binding', () => metadata.replaceAll('HTTP-Redirect', 'HTTP-POST')],
    ['no certificate', () => metadata.replace(/<KeyDescriptor.*<\/KeyDescriptor>/s, '')],
    ['an invalid certificate', () => metadata.replace(/MII[^<]*/, 'MIInonsense')],
    ['a URL without TLS', () => metadata.replace('https://idp.example.com/sso', 'http://idp.example.com/sso')],
    ['a javascript: URL', () => metadata.replace('https://idp.example.com/sso', 'javascript:alert(1)')],
    ['another service type', () => metadata.replaceAll('IDPSSODescriptor', 'SPSSODescriptor')],
    ['nonsense', () => 'nonsense'],
  ])('creating a SAML connection from metadata with %s returns 400', async (_, text) => {
    expect(text()).not.toBe(metadata);
    const { status, body } = await create({ metadata_xml: text() });
    expect(status, JSON.stringify(body)).toBe(400);
    expect(body.error.details.field).toBe('metadata_xml');
  });
});

describe('refused SAML connections', () => {
  test.each([
    ['name', { name: undefined }],
    ['name', { name: ' ' }],
    ['email_domains', { email_domains: [] }],
    ['email_domains', { email_domains: ['localhost'] }],
    ['email_domains', { email_domains: ['*.example.com'] }],
    ['email_domains', { email_domains: ['a@example.com'] }],
    ['email_domains', { email_domains: Array.from({ length: 51 }, (_, index) => `d${index}.example.com`) }],
    ['sso_url', { sso_url: 'http://idp.example.com/sso' }],
    ['sso_url', { sso_url: 'ftp://idp.example.com' }],
    ['sso_url', { sso_url: 'https://user:password@idp.example.com' }],
    ['sso_url', { sso_url: 'nonsense' }],
    ['idp_entity_id', { idp_entity_id: 'two words' }],
    ['idp_entity_id', { idp_entity_id: 'x'.repeat(1025) }],
    ['certificates', { certificates: [] }],
    ['certificates.0', { certificates: ['nonsense'] }],
    ['metadata_url', { metadata_url: 'ftp://idp.example.com/metadata' }],
    ['metadata_xml', { metadata_url: 'https://idp.example.com/metadata', metadata_xml: '<x/>' }],
    ['metadata_xml', { metadata_xml: '<x/>', idp_entity_id: 'https://idp.example.com' }],
    ['default_role', { default_role: 'king' }],
    ['role_mappings.0.group', { role_mappings: [{ group: '', role: 'member' }] }],
    ['role_mappings.0.role', { role_mappings: [{ group: 'x', role: 'king' }] }],
    [
      'role_mappings',
      {
        role_mappings: [
          { group: 'x', role: 'member' },
          { group: 'x', role: 'admin' },
        ],
      },
    ],
    ['allow_provisioning', { allow_provisioning: true }],
    ['allow_provisioning', { allow_provisioning: 'yes' }],
    ['grants', { grants: ['*:*'] }],
    ['organization_id', { organization_id: 'org_other' }],
  ])('creating a SAML connection with an invalid value of the field %s returns 400 INVALID_PARAMETERS: %j', async (field, wrong) => {
    const before = await count();
    const { status, body } = await create(wrong);
    expect(status, JSON.stringify(body)).toBe(400);
    expect(body.error.code).toBe('INVALID_PARAMETERS');
    expect(body.error.details.field).toBe(field);
    expect(await count()).toBe(before);
  });

  test('creating a SAML connection with a certificate of a 1024-bit key returns 400', async () => {
    const { certificate } = await signingPair(1024);
    const { status, body } = await create({ certificates: [certificate] });
    expect([status, body.error.details.field]).toEqual([400, 'certificates.0']);
  });
});
