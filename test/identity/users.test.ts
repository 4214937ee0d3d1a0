import { beforeAll, describe, expect, test } from 'vitest';
import { createAccount } from '../billing.setup.ts';
import { type Rig, rig } from '../rig.ts';
import type { Json, Tenant } from '../tenant.ts';
import { invited, login, tokenMailedTo, userOf } from '../users.setup.ts';

let platform: Rig;
let tenant: Tenant;
beforeAll(async () => {
  platform = await rig();
  tenant = await platform.organization({ plan: 'custom' });
});

const pathOf = ({ account, user }: { account: Json; user?: Json }): string =>
  user ? `/accounts/${account.id}/users/${user.id}` : `/accounts/${account.id}/users`;

describe('user invitations', () => {
  test('an invited user without a password gets 401 at login, and the invitation email contains a password link', async () => {
    const { user, account, email } = await invited(tenant, 'support', '+1 212 555 0100');
    expect(user).toEqual({
      id: expect.stringMatching(/^user_/),
      account_id: account.id,
      email,
      name: 'Test User',
      phone: '+1 212 555 0100',
      role: 'support',
      accounts: null,
      platform_access: null,
      status: 'invited',
      second_factor: false,
      last_login: null,
      created_at: expect.any(String),
      updated_at: expect.any(String),
    });
    expect((await login(tenant, email)).status).toBe(401);
    const token = await tokenMailedTo(email);
    const mail = platform.mails.findLast(({ to }) => to === email);
    expect(mail?.text).toContain(`${tenant.origin}/password?token=${token}`);
  });

  test('inviting the email address of an existing user of the organization returns 409 and creates no user', async () => {
    for (const { email } of [await invited(tenant), await userOf(tenant)]) {
      const account = await createAccount(tenant);
      const body = { email: email.toUpperCase(), name: 'Somebody' };
      const { status, body: response } = await tenant.rest('POST', pathOf({ account }), { body });
      expect([status, response.error.code]).toEqual([409, 'DUPLICATE_RESOURCE']);
      expect((await tenant.rest('GET', pathOf({ account }))).body.data).toEqual([]);
    }
  });

  test.each([
    [{ email: 'nobody' }, 'email'],
    [{ name: ' ' }, 'name'],
    [{ name: 'x'.repeat(201) }, 'name'],
    [{ role: 'emperor' }, 'role'],
    [{ phone: '0800' }, 'phone'],
    [{ status: 'active' }, 'status'],
    [{ organization_id: 'org_other' }, 'organization_id'],
    [{ second_factor: true }, 'second_factor'],
  ])('inviting a user with %j returns 400 for the field %s', async (members, field) => {
    const account = await createAccount(tenant);
    const body = { email: 'somebody@example.com', name: 'Somebody', ...members };
    const { status, body: response } = await tenant.rest('POST', pathOf({ account }), { body });
    expect([status, response.error?.details.field]).toEqual([400, field]);
    expect((await tenant.rest('GET', pathOf({ account }))).body.pagination.total).toBe(0);
  });
});

describe('users of an account', () => {
  test('the users of an account can be sorted by name, filtered by role and status, searched and listed in pages', async () => {
    const account = await createAccount(tenant);
    const add = (name: string, role: string) =>
      tenant.rest('POST', pathOf({ account }), { body: { email: `${name}.${account.id}@example.com`.toLowerCase(), name, role } });
    for (const [name, role] of [
      ['Ada', 'admin'],
      ['Ben', 'billing'],
      ['Cleo', 'member'],
    ] as const)
      await add(name, role);
    const names = async (query: string) =>
      (await tenant.rest('GET', `${pathOf({ account })}?${query}`)).body.data.map(({ name }: Json) => name);
    expect(await names('sort=name:asc')).toEqual(['Ada', 'Ben', 'Cleo']);
    expect(await names('sort=name:desc&per_page=2&page=2')).toEqual(['Ada']);
    expect(await names('role=billing,member&sort=name:asc')).toEqual(['Ben', 'Cleo']);
    expect(await names('status=active')).toEqual([]);
    expect(await names('search=CLEO')).toEqual(['Cleo']);
    expect(await names('search=%25')).toEqual([]);
  });

  test('the users of several accounts are loaded by one SQL statement', async () => {
    const own = await platform.organization({ plan: 'custom' });
    for (let index = 0; index < 3; index += 1) await invited(own);
    const statements = await platform.statements(async () => {
      const { data } = await own.graphql('{ accounts { nodes { id users(limit: 5) { email role account { id } } } } }');
      expect(data.accounts.nodes.flatMap(({ users }: Json) => users)).toHaveLength(3);
      for (const { id, users } of data.accounts.nodes) expect(users[0].account.id).toBe(id);
    });
    expect(statements.filter((sql) => sql.includes('"identity"."user"'))).toHaveLength(1);
  });

  test('updating or removing a user under another account returns 404', async () => {
    const { user } = await invited(tenant);
    const other = await createAccount(tenant);
    for (const method of ['PUT', 'DELETE']) {
      const { status } = await tenant.rest(method, pathOf({ account: other, user }), {
        body: method === 'PUT' ? { name: 'X' } : undefined,
      });
      expect(status).toBe(404);
    }
  });

  test('updating a user changes only the fields that are sent, and rejects null for required fields', async () => {
    const { user, account } = await invited(tenant, 'member', '+1 212 555 0100');
    const { body } = await tenant.rest('PUT', pathOf({ account, user }), { body: { name: 'New Name', phone: null } });
    expect(body.data).toMatchObject({ ...user, name: 'New Name', phone: null, updated_at: expect.any(String) });
    for (const [members, field] of [
      [{ name: null }, 'name'],
      [{ role: null }, 'role'],
      [{ email: 'x@example.com' }, 'email'],
    ] as const) {
      expect((await tenant.rest('PUT', pathOf({ account, user }), { body: members })).body.error.details.field).toBe(field);
    }
    const back = await tenant.rest('PUT', pathOf({ account, user }), { body: { status: 'active' } });
    expect(back.body.error).toMatchObject({ code: 'INVALID_STATE', details: { from: 'invited', to: 'active' } });
  });
});

describe('user roles', () => {
  test('an admin gets 403 when assigning the owner role or changing an owner', async () => {
    const own = await platform.organization();
    const owner = await userOf(own, 'owner');
    const admin = await userOf(own, 'admin');
    const account = await createAccount(own);
    const invite = (by: Tenant, role: string) =>
      by.rest('POST', pathOf({ account }), { body: { email: `${role}.${account.id}@example.com`.toLowerCase(), name: role, role } });
    expect((await invite(admin, 'owner')).body.error).toMatchObject({ code: 'INSUFFICIENT_PERMISSIONS', details: { required: '*:*' } });
    expect((await invite(admin, 'admin')).status).toBe(201);
    const path = pathOf({ account: owner.account, user: owner });
    expect((await admin.rest('PUT', path, { body: { status: 'suspended' } })).status).toBe(403);
    expect((await admin.rest('DELETE', path)).status).toBe(403);
    const promoted = await admin.rest('PUT', pathOf({ account: admin.account, user: admin }), { body: { role: 'owner' } });
    expect(promoted.status).toBe(403);
    expect((await owner.rest('PUT', pathOf({ account: admin.account, user: admin }), { body: { role: 'owner' } })).status).toBe(200);
  });

  test('removing, suspending or demoting the last owner returns 409 INVALID_STATE', async () => {
    const own = await platform.organization();
    const [owner, other] = [await userOf(own, 'owner'), await userOf(own, 'owner')];
    const path = (user: typeof owner) => pathOf({ account: user.account, user });
    expect((await own.rest('DELETE', path(other))).status).toBe(200);
    for (const attempt of [
      own.rest('DELETE', path(owner)),
      own.rest('PUT', path(owner), { body: { role: 'admin' } }),
      own.rest('PUT', path(owner), { body: { status: 'suspended' } }),
    ]) {
      const { status, body } = await attempt;
      expect([status, body.error.code]).toEqual([409, 'INVALID_STATE']);
    }
    expect((await owner.rest('GET', '/auth/verify')).status).toBe(200);
  });

  test('one of two concurrent removals of the last two owners returns 409', async () => {
    const own = await platform.organization();
    const [one, two] = [await userOf(own, 'owner'), await userOf(own, 'owner')];
    const remove = (by: Tenant, whom: typeof one) => by.rest('DELETE', pathOf({ account: whom.account, user: whom }));
    const responses = await Promise.all([remove(own, one), remove(own, two)]);
    expect(responses.map(({ status }) => status).toSorted()).toEqual([200, 409]);
  });
});

test('the users in the response to updateAccount require accounts:read, even if the caller may update the account', async () => {
  const { account } = await userOf(tenant, 'member');
  const writer = await tenant.limitedTo('accounts:write');
  const mutation = 'mutation ($id: ID!) { updateAccount(id: $id, input: { name: "New" }) { name users { email } } }';
  const { data, errors } = await writer.graphql(mutation, { id: account.id });
  expect(errors).toMatchObject([{ path: ['updateAccount', 'users'], extensions: { code: 'INSUFFICIENT_PERMISSIONS' } }]);
  expect(JSON.stringify(data)).not.toContain('@example.com');
});
