import { beforeAll, describe, expect, test } from 'vitest';
import { clientToken, registered } from '../oauth.setup.ts';
import { rig } from '../rig.ts';
import type { Json, Tenant } from '../tenant.ts';

let tenant: Tenant;
beforeAll(async () => {
  tenant = await (await rig()).organization();
});

const BODY = { name: 'Wall', redirect_uris: ['https://wall.example.com/cb'], scopes: ['services.read'] };
const create = (body: Json, by = tenant) => by.rest('POST', '/auth/oauth-clients', { body });
const reasonOf = ({ body }: { body: Json }) => `${body.error?.details.field}: ${body.error?.details.reason}`;

describe('OAuth clients', () => {
  test('a registered OAuth client returns its secret only in the response of the registration', async () => {
    const { status, body } = await create({ ...BODY, description: 'Shows it', homepage_url: 'https://wall.example.com' });
    expect(status, JSON.stringify(body)).toBe(201);
    expect(body.data).toMatchObject({
      id: expect.stringMatching(/^client_/),
      name: 'Wall',
      is_confidential: true,
      client_secret: expect.stringMatching(/^cs_[\w-]{43}$/),
      redirect_uris: ['https://wall.example.com/cb'],
      grant_types: ['authorization_code', 'refresh_token'],
      scopes: ['services.read'],
      homepage_url: 'https://wall.example.com',
      active: true,
    });
    const read = await tenant.rest('GET', `/auth/oauth-clients/${body.data.id}`);
    expect(read.body.data).toEqual({ ...body.data, client_secret: null });
    expect(JSON.stringify(read.body)).not.toContain('hash');
    const { data } = await tenant.graphql('query ($id: ID!) { oauthClient(id: $id) { name clientSecret grantTypes } }', {
      id: body.data.id,
    });
    expect(data.oauthClient).toEqual({ name: 'Wall', clientSecret: null, grantTypes: ['AUTHORIZATION_CODE', 'REFRESH_TOKEN'] });
  });

  test('a public OAuth client has no secret, and rotating its secret returns 400', async () => {
    const { body } = await create({ ...BODY, is_confidential: false });
    expect(body.data).toMatchObject({ is_confidential: false, client_secret: null });
    const rotated = await tenant.rest('POST', `/auth/oauth-clients/${body.data.id}/rotate`, { body: {} });
    expect(rotated).toMatchObject({ status: 400, body: { error: { code: 'INVALID_PARAMETERS' } } });
  });

  test('OAuth clients are listed newest first, with the same number of SQL statements for any number of clients', async () => {
    const own = await (await rig()).organization();
    for (const name of ['one', 'two', 'three']) await create({ ...BODY, name }, own);
    const list = async () => (await own.rest('GET', '/auth/oauth-clients')).body.data;
    const { statements } = await rig();
    let names: Json[] = [];
    const three = await statements(async () => {
      names = await list();
    });
    expect(names.map(({ name }) => name)).toEqual(['three', 'two', 'one']);
    expect(names.every(({ client_secret }) => client_secret === null)).toBe(true);
    for (const name of ['four', 'five']) await create({ ...BODY, name }, own);
    expect((await statements(list)).length).toBe(three.length);
  });

  test('updating an OAuth client changes only the fields that are sent', async () => {
    const { id } = (await create({ ...BODY, description: 'Shows it' })).body.data;
    const { status, body } = await tenant.rest('PUT', `/auth/oauth-clients/${id}`, { body: { name: 'Door', description: null } });
    expect(status).toBe(200);
    expect(body.data).toMatchObject({ name: 'Door', description: null, scopes: ['services.read'], redirect_uris: BODY.redirect_uris });
  });

  test('rotating the secret of an OAuth client makes the old secret invalid', async () => {
    const client = await registered(tenant);
    const { body } = await tenant.rest('POST', `/auth/oauth-clients/${client.id}/rotate`, { body: {} });
    expect(body.data.client_secret).toMatch(/^cs_/);
    expect((await clientToken(tenant.origin, client)).status).toBe(401);
    expect((await clientToken(tenant.origin, { id: client.id, secret: body.data.client_secret })).status).toBe(200);
  });

  test('deleting an OAuth client returns the client, and reading the deleted client returns 404', async () => {
    const { id } = (await create(BODY)).body.data;
    const { status, body } = await tenant.rest('DELETE', `/auth/oauth-clients/${id}`);
    expect([status, body.data.id, body.data.name]).toEqual([200, id, 'Wall']);
    expect((await tenant.rest('GET', `/auth/oauth-clients/${id}`)).status).toBe(404);
  });

  test('the audit log records the creation, update and deletion of an OAuth client', async () => {
    const { id } = (await create(BODY)).body.data;
    await tenant.rest('PUT', `/auth/oauth-clients/${id}`, { body: { name: 'Door' } });
    await tenant.rest('DELETE', `/auth/oauth-clients/${id}`);
    const { body } = await tenant.rest('GET', '/auth/audit?per_page=200');
    const types = body.data.filter((record: Json) => record.client_id === id).map((record: Json) => record.event_type);
    expect(types).toEqual(['oauth_client_deleted', 'oauth_client_updated', 'oauth_client_created']);
  });
});

describe('OAuth clients and permissions', () => {
  test('registering an OAuth client with scopes that its creator lacks returns 403 INSUFFICIENT_PERMISSIONS', async () => {
    const limited = await tenant.limitedTo('credentials:create', 'services:read');
    expect((await create(BODY, limited)).status).toBe(201);
    for (const scope of ['services.write', 'services.*', '*.*']) {
      const refused = await create({ ...BODY, scopes: ['services.read', scope] }, limited);
      expect(refused).toMatchObject({ status: 403, body: { error: { code: 'INSUFFICIENT_PERMISSIONS' } } });
    }
  });

  test('rotating, changing or deleting an OAuth client returns 403 to a caller with fewer permissions than the client', async () => {
    const { id, ...before } = (await create({ ...BODY, scopes: ['*.*'] })).body.data;
    const limited = await tenant.limitedTo('credentials:admin', 'services:read');
    const refusals = [
      await limited.rest('POST', `/auth/oauth-clients/${id}/rotate`, { body: {} }),
      await limited.rest('PUT', `/auth/oauth-clients/${id}`, { body: { redirect_uris: ['https://evil.example.com/'] } }),
      await limited.rest('DELETE', `/auth/oauth-clients/${id}`),
    ];
    for (const refusal of refusals) expect(refusal).toMatchObject({ status: 403, body: { error: { details: { required: '*:*' } } } });
    const { body } = await tenant.rest('GET', `/auth/oauth-clients/${id}`);
    expect(body.data).toMatchObject({ ...before, client_secret: null });
  });
});

describe('refused OAuth clients', () => {
  test.each([
    ['no name', { name: ' ' }, /^name: must not be blank/],
    ['a redirect URI without https', { redirect_uris: ['http://wall.example.com/'] }, /^redirect_uris: must be a list of https/],
    ['a redirect URI with a fragment', { redirect_uris: ['https://wall.example.com/#a'] }, /^redirect_uris: must be a list of https/],
    ['no redirect URI for authorization codes', { redirect_uris: [] }, /^redirect_?[uU]ris: must have at least one/],
    ['no scopes', { scopes: [] }, /^scopes: must have 1 to/],
    ['a scope that does not exist', { scopes: ['services.fly'] }, /^scopes: must be a list of scopes/],
    ['a permission instead of a scope', { scopes: ['services:read'] }, /^scopes: must be a list of scopes/],
    ['a grant type that does not exist', { grant_types: ['password'] }, /^grant_types/],
    ['a grant type twice', { grant_types: ['device_code', 'device_code'] }, /^grant_types: must not repeat/],
    ['only the refresh grant type', { grant_types: ['refresh_token'] }, /refresh_token requires/],
    [
      'the grant type client_credentials for a public client',
      { is_confidential: false, grant_types: ['client_credentials'] },
      /requires a confidential client/,
    ],
    ['a javascript: homepage', { homepage_url: 'javascript:alert(1)' }, /^homepage_url: must be an https address/],
    ['a secret that the caller chooses', { client_secret: 'mine' }, /client_secret/],
  ])('registering an OAuth client with %s returns 400 and creates no client', async (_, members, reason) => {
    const own = await (await rig()).organization();
    const refused = await create({ ...BODY, ...members }, own);
    expect(refused).toMatchObject({ status: 400, body: { error: { code: 'INVALID_PARAMETERS' } } });
    expect(reasonOf(refused)).toMatch(reason);
    expect((await own.rest('GET', '/auth/oauth-clients')).body.data).toEqual([]);
  });

  test('removing the last redirect URI of an OAuth client that uses authorization codes returns 400', async () => {
    const { id } = (await create(BODY)).body.data;
    expect((await tenant.rest('PUT', `/auth/oauth-clients/${id}`, { body: { redirect_uris: [] } })).status).toBe(400);
    expect((await tenant.rest('GET', `/auth/oauth-clients/${id}`)).body.data.redirect_uris).toEqual(BODY.redirect_uris);
  });
});
