import { beforeAll, describe, expect, test } from 'vitest';
import { createAccount } from '../billing.setup.ts';
import { type Json, Tenant } from '../tenant.ts';
import { PASSWORD, tokenMailedTo } from '../users.setup.ts';
import { SamlWorld, type Statement } from './saml-idp.ts';

const USER = 'query ($of: String!) { users(filter: { search: $of }) { nodes { id role status name accountId lastLogin } } }';
const userOf = async ({ tenant }: SamlWorld, email: string): Promise<Json> =>
  (await tenant.graphql(USER, { of: email })).data.users.nodes[0];

const refusal = async (world: SamlWorld, statement: Statement, reason: RegExp): Promise<void> => {
  const result = await world.signIn(statement);
  expect(result.status, JSON.stringify(result.body)).toBe(401);
  expect((await world.audited())[0].reason).toMatch(reason);
};

describe('unknown users', () => {
  test('the first SAML sign-in creates the user with the default role, and later sign-ins return the same user', async () => {
    const world = await SamlWorld.open();
    const email = world.address('Ada.Lovelace');
    const first = await world.signIn({ email });
    const again = await world.signIn({ email: email.toLowerCase() });
    expect(again.body.user_id).toBe(first.body.user_id);
    expect(await userOf(world, email)).toMatchObject({ role: 'MEMBER', status: 'ACTIVE', name: 'ada.lovelace' });
    expect((await world.audited()).map(({ event_type }) => event_type)).toContain('user_provisioned');
  });

  test("SAML creates users in the organization's own account, or in the account of a connection that has exactly one account", async () => {
    const world = await SamlWorld.open();
    const own = (await world.tenant.rest('GET', '/accounts?own=true')).body.data[0].id;
    await world.signIn();
    expect((await userOf(world, world.address())).accountId).toBe(own);
    const { id } = await createAccount(world.tenant);
    await world.update({ accounts: [id] });
    await world.signIn({ email: world.address('limited') });
    expect((await userOf(world, world.address('limited'))).accountId).toBe(id);
  });

  test('two concurrent first SAML sign-ins with one email address create one user', async () => {
    const world = await SamlWorld.open();
    const results = await Promise.all([world.signIn(), world.signIn()]);
    expect(results.map(({ status }) => status)).toEqual([200, 200]);
    expect(results[0].body.user_id).toBe(results[1].body.user_id);
  });

  test('a SAML sign-in of an unknown user returns 401 if the connection does not create users', async () => {
    const world = await SamlWorld.open({ allow_provisioning: false });
    await refusal(world, {}, /unknown user/);
    expect(await userOf(world, world.address())).toBeUndefined();
  });

  test('a SAML sign-in of an unknown user without a mapped group returns 401 if there is no default role', async () => {
    const world = await SamlWorld.open({ default_role: null, role_mappings: [{ group: 'noc', role: 'support' }] });
    await refusal(world, { groups: ['sales'] }, /no role/);
    await refusal(world, {}, /no role/);
    expect((await world.signIn({ groups: ['sales', 'noc'] })).status).toBe(200);
  });
});

describe('SAML groups', () => {
  let world: SamlWorld;
  beforeAll(async () => {
    const role_mappings = [
      { group: 'admins', role: 'admin' },
      { group: 'finance', role: 'billing' },
      { group: 'noc', role: 'support' },
    ];
    world = await SamlWorld.open({ default_role: 'read_only', role_mappings });
  });

  test.each([
    ['the first matching mapping applies for any order of the groups', ['noc', 'finance'], 'billing'],
    ['group names are compared with case and without surrounding spaces', ['Admins', 'noc '], 'support'],
    ['the default role applies if no mapping matches', ['sales'], 'read_only'],
    ['the default role applies if no groups are sent', undefined, 'read_only'],
  ])('SAML groups determine the role of a new user: %s', async (title, groups, role) => {
    const email = world.address(title.replace(/\W/g, '').slice(0, 30));
    await world.signIn({ email, groups });
    expect((await userOf(world, email)).role).toBe(role.toUpperCase());
  });

  test('changed SAML groups change the role of the user at the next sign-in, also in sessions that are already open', async () => {
    const email = world.address('promoted');
    const { body } = await world.signIn({ email, groups: ['admins'] });
    const session = new Tenant(world.tenant.origin, world.tenant.organizationId, body.access_token);
    expect((await session.rest('GET', '/auth/api-keys')).status).toBe(200);

    await world.signIn({ email, groups: [] });
    expect((await userOf(world, email)).role).toBe('READ_ONLY');
    expect((await session.rest('GET', '/auth/api-keys')).status).toBe(403);
  });

  test('SAML groups can remove the owner role from a user, but not from the last owner', async () => {
    const own = await SamlWorld.open({ default_role: 'member', role_mappings: [{ group: 'owners', role: 'owner' }] });
    const [first, second] = [own.address('first'), own.address('second')];
    for (const email of [first, second]) expect((await own.signIn({ email, groups: ['owners'] })).status).toBe(200);

    for (const email of [first, second]) expect((await own.signIn({ email, groups: [] })).status).toBe(200);
    expect((await userOf(own, first)).role).toBe('MEMBER');
    expect((await userOf(own, second)).role).toBe('OWNER');
  });

  test('SAML groups do not change the role of a user if the connection has no mappings', async () => {
    const own = await SamlWorld.open();
    await own.user('BILLING');
    await own.signIn({ groups: ['admins'] });
    expect((await userOf(own, own.address())).role).toBe('BILLING');
  });
});

describe('known users', () => {
  test("a SAML sign-in activates an invited user and keeps the user's account and role", async () => {
    const world = await SamlWorld.open();
    const invited = await world.user('SUPPORT');
    expect(invited.status).toBe('INVITED');
    const { body } = await world.signIn();
    expect(body.user_id).toBe(invited.id);
    expect(await userOf(world, world.address())).toMatchObject({ role: 'SUPPORT', status: 'ACTIVE', accountId: invited.accountId });
    expect((await userOf(world, world.address())).lastLogin).toBeTruthy();
  });

  test('a SAML sign-in returns the oldest user with the email address, even if another account invites the address later', async () => {
    const world = await SamlWorld.open({ default_role: 'member' });
    const account = await createAccount(world.tenant);
    const keys = { name: 'Account', permissions: ['*:*'], accounts: [account.id] };
    const { body } = await world.tenant.rest('POST', '/auth/api-keys', { body: keys });
    const limited = new Tenant(world.tenant.origin, world.tenant.organizationId, body.api_key.key);
    const invite = { email: world.address(), name: 'Grace', role: 'member' };
    const invited = await limited.rest('POST', `/accounts/${account.id}/users`, { body: invite });
    const oldest = (await world.signIn()).body.user_id;
    expect(oldest).toBe(invited.body.data.id);
    const other = (await createAccount(world.tenant)).id;
    const elsewhere = new Tenant(
      world.tenant.origin,
      world.tenant.organizationId,
      (await world.tenant.rest('POST', '/auth/api-keys', { body: { ...keys, accounts: [other] } })).body.api_key.key,
    );
    expect((await elsewhere.rest('POST', `/accounts/${other}/users`, { body: invite })).status).toBe(201);
    expect((await world.signIn()).body.user_id).toBe(oldest);
  });

  test('a SAML sign-in of a suspended user returns 403 ACCESS_RESTRICTED', async () => {
    const world = await SamlWorld.open();
    const { id, accountId } = await world.user('MEMBER');
    await world.signIn();
    const suspend = 'mutation ($on: ID!, $id: ID!) { updateUser(accountId: $on, id: $id, input: { status: SUSPENDED }) { status } }';
    await world.tenant.graphql(suspend, { on: accountId, id });
    const { status, body } = await world.signIn();
    expect([status, body.error.code]).toEqual([403, 'ACCESS_RESTRICTED']);
    expect((await world.audited())[0]).toMatchObject({ event_type: 'authentication_failure' });
  });

  test("a SAML sign-in of another organization's user returns the same 401 as a sign-in of an unknown user", async () => {
    const world = await SamlWorld.open();
    const stranger = await SamlWorld.open();
    // the other organization has a user with this organization's email domain
    await stranger.user('MEMBER', world.address('theirs'), stranger.tenant);
    const token = await tokenMailedTo(world.address('theirs'));
    await world.tenant.rest('POST', '/auth/password', { body: { token, password: PASSWORD }, headers: { authorization: '' } });
    const theirs = await world.signIn({ email: world.address('theirs') });
    await world.update({ allow_provisioning: false });
    const unknown = await world.signIn({ email: world.address('nobody') });
    const bare = ({ status, body }: { status: number; body: Json }) => ({ status, ...body.error, request_id: undefined });
    expect(bare(theirs)).toEqual(bare(unknown));
    expect(theirs.status).toBe(401);
    expect(await userOf(stranger, world.address('theirs'))).toMatchObject({ status: 'ACTIVE', lastLogin: null });
  });

  test('an invitation by another organization does not block a SAML sign-in, and accepting the invitation after the sign-in returns 401', async () => {
    const world = await SamlWorld.open();
    const stranger = await SamlWorld.open();
    await stranger.user('MEMBER', world.address('squatted'), stranger.tenant);
    const token = await tokenMailedTo(world.address('squatted'));
    expect((await world.signIn({ email: world.address('squatted') })).status).toBe(200);
    const accepted = await world.tenant.rest('POST', '/auth/password', {
      body: { token, password: PASSWORD },
      headers: { authorization: '' },
    });
    expect(accepted.status).toBe(401);
    expect(await userOf(stranger, world.address('squatted'))).toMatchObject({ status: 'INVITED', lastLogin: null });
  });
});

describe('permissions of SAML connections', () => {
  test('a SAML sign-in of a user with more permissions than the creator of the connection returns 401', async () => {
    const world = await SamlWorld.open();
    await world.tenant.rest('DELETE', `/auth/saml-connections/${world.connection.id}`);
    const registrar = await world.tenant.limitedTo(
      'credentials:admin',
      'accounts:read',
      'services:read',
      'billing:read',
      'support:read',
      'monitoring:read',
      'analytics:read',
      'webhooks:read',
    );
    await world.connect({ default_role: 'read_only' }, registrar);
    await world.user('OWNER', world.address('owner'));
    await world.user('READ_ONLY', world.address('reader'));

    await refusal(world, { email: world.address('owner') }, /exceeds the permissions/);
    expect((await world.signIn({ email: world.address('reader') })).status).toBe(200);
    // an update by a caller with all permissions raises the permissions that limit the connection
    await world.update({ active: true });
    expect((await world.signIn({ email: world.address('owner') })).status).toBe(200);
  });

  test('an owner can still sign in after a caller with fewer permissions renamed the SAML connection', async () => {
    const world = await SamlWorld.open();
    await world.user('OWNER');
    const limited = await world.tenant.limitedTo('credentials:write');
    expect((await limited.rest('PUT', `/auth/saml-connections/${world.connection.id}`, { body: { name: 'Renamed' } })).status).toBe(200);
    expect((await world.signIn()).status).toBe(200);
  });

  test.each([
    ['default_role', { default_role: 'admin' }],
    ['role_mappings', { role_mappings: [{ group: 'x', role: 'owner' }] }],
  ])('setting %s of a SAML connection to a role with more permissions than the caller returns 403', async (_, more) => {
    const world = await SamlWorld.open();
    const limited = await world.tenant.limitedTo('credentials:admin', 'accounts:read');
    const path = `/auth/saml-connections/${world.connection.id}`;
    const results = [
      await limited.rest('PUT', path, { body: more }),
      await limited.rest('POST', '/auth/saml-connections', { body: { name: 'x', email_domains: ['x.example.com'], ...more } }),
    ];
    for (const { status, body } of results) expect([status, body.error.code]).toEqual([403, 'INSUFFICIENT_PERMISSIONS']);
    expect((await world.tenant.rest('GET', path)).body.data).toMatchObject({ default_role: 'member', role_mappings: [] });
  });
});

describe('sign-in started by the identity provider', () => {
  test('a SAML sign-in started by the identity provider returns 401 if the connection forbids sign-ins of this kind', async () => {
    const world = await SamlWorld.open();
    const result = await world.deliver(await world.respond());
    expect(result.status).toBe(401);
    expect((await world.audited())[0].reason).toContain('answers no request');
  });

  test('if the identity provider may start sign-ins, its SAML response returns tokens once, and 401 when it is sent again', async () => {
    const world = await SamlWorld.open({ allow_idp_initiated: true });
    const response = await world.respond();
    const result = await world.deliver(response, { relayState: '/welcome' });
    expect(result.status).toBe(200);
    expect(result.body.access_token).toMatch(/^ey/);
    expect((await world.deliver(response)).status).toBe(401);
    expect((await world.audited())[0].reason).toContain('replayed');
    const copies = await world.respond();
    const results = await Promise.all([1, 2, 3].map(() => world.deliver(copies)));
    expect(results.map(({ status }) => status).toSorted()).toEqual([200, 401, 401]);
  });

  test('a SAML response for another connection of the same identity provider returns 401', async () => {
    const world = await SamlWorld.open({ allow_idp_initiated: true });
    const other = await SamlWorld.open({ allow_idp_initiated: true, idp_entity_id: world.idpEntityId });
    // the audience of the response is the other connection
    const result = await world.deliver(await world.respond({ audience: other.connection.sp_entity_id }));
    expect(result.status).toBe(401);
  });
});
