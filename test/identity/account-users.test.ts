import { beforeAll, expect, test } from 'vitest';
import { createAccount } from '../billing.setup.ts';
import { eventually, rig } from '../rig.ts';
import { type Json, Tenant } from '../tenant.ts';
import { login, PASSWORD, type TestUser, tokenMailedTo, userOf } from '../users.setup.ts';

let tenant: Tenant;
let account: Json;
let own: Json;

beforeAll(async () => {
  tenant = await (await rig()).organization();
  account = await createAccount(tenant, 'Acme');
  own = (await tenant.rest('GET', '/accounts?own=true')).body.data[0];
});

let count = 0;
const invite = (accountId: string, body: object, by = tenant) =>
  by.rest('POST', `/accounts/${accountId}/users`, { body: { email: `somebody-${++count}@example.com`, name: 'Somebody', ...body } });

/** Accepts the invitation, logs in and returns the caller. */
async function accepted({ email }: Json): Promise<Tenant> {
  const token = await tokenMailedTo(email);
  const anybody = { headers: { authorization: '' } };
  await tenant.rest('POST', '/auth/password', { body: { token, password: PASSWORD }, ...anybody });
  return new Tenant(tenant.origin, tenant.organizationId, (await login(tenant, email)).body.data.access_token);
}

test('an organization has one account of its own, and closing or deleting this account returns INVALID_STATE', async () => {
  const { body } = await tenant.rest('GET', '/accounts?own=true');
  expect(body.data).toHaveLength(1);
  expect(own).toMatchObject({ own: true, status: 'active' });
  expect((await tenant.rest('PUT', `/accounts/${own.id}`, { body: { status: 'closed' } })).body.error.code).toBe('INVALID_STATE');
  expect((await tenant.rest('DELETE', `/accounts/${own.id}`)).body.error.code).toBe('INVALID_STATE');
  expect((await tenant.rest('PUT', `/accounts/${own.id}`, { body: { email: 'office@example.com' } })).body.data.email).toBe(
    'office@example.com',
  );
});

test.each([
  ['member', "the organization's own account", 'all accounts'],
  ['member', 'another account', 'only this account'],
  ['billing', "the organization's own account", 'all accounts'],
  ['billing', 'another account', 'only this account'],
  ['read_only', 'another account', 'only this account'],
  ['owner', 'another account', 'all accounts'],
  ['admin', 'another account', 'all accounts'],
  ['support', 'another account', 'all accounts'],
  ['account_admin', "the organization's own account", 'only this account'],
  ['account_admin', 'another account', 'only this account'],
])('a user with the role %s who is invited to %s has access to %s', async (role, under, access) => {
  const invitedTo = under === 'another account' ? account.id : own.id;
  const { status, body } = await invite(invitedTo, { role });
  expect(status, JSON.stringify(body)).toBe(201);
  expect(body.data.accounts).toEqual(access === 'only this account' ? [invitedTo] : null);
});

test('an invitation can limit a member to accounts, but returns 400 if it limits an admin, and 404 for an unknown account', async () => {
  expect((await invite(account.id, { role: 'member', accounts: null })).body.data.accounts).toBeNull();
  expect((await invite(own.id, { role: 'member', accounts: [account.id] })).body.data.accounts).toEqual([account.id]);
  const admin = await invite(account.id, { role: 'admin', accounts: [account.id] });
  expect([admin.status, admin.body.error.details.field]).toEqual([400, 'accounts']);
  expect((await invite(account.id, { role: 'member', accounts: ['acc_01JQ8Z6V4T9M3N2B1C0D9E8F7G'] })).status).toBe(404);
  expect((await invite(account.id, { role: 'member', accounts: [] })).status).toBe(400);
});

test('changing the role of a user to admin removes the account limit, and changing the role to account_admin sets a limit', async () => {
  const { body } = await invite(account.id, { role: 'member' });
  const change = (input: object) => tenant.rest('PUT', `/accounts/${account.id}/users/${body.data.id}`, { body: input });
  expect((await change({ role: 'admin', accounts: [account.id] })).body.error.details.field).toBe('accounts');
  expect((await change({ role: 'admin' })).body.data.accounts).toBeNull();
  expect((await change({ role: 'account_admin' })).body.data.accounts).toEqual([account.id]);
  expect((await change({ role: 'member', accounts: null })).body.data.accounts).toBeNull();
});

test('an account administrator can invite and remove users only in their accounts and gets 403 for higher roles', async () => {
  const admin = await accepted((await invite(account.id, { role: 'account_admin' })).body.data);
  const caller = (await admin.rest('GET', '/auth/verify')).body.data;
  expect(caller).toMatchObject({ accounts: [account.id], user: { role: 'account_admin' } });
  const made = await invite(account.id, { role: 'member' }, admin);
  expect(made.body.data.accounts).toEqual([account.id]);
  expect((await invite(account.id, { role: 'billing' }, admin)).status).toBe(201);
  expect((await invite(own.id, { role: 'member' }, admin)).status).toBe(404);
  expect((await invite(account.id, { role: 'owner' }, admin)).status).toBe(403);

  const staff = (await invite(account.id, { role: 'member', accounts: null })).body.data;
  const suspend = await admin.rest('PUT', `/accounts/${account.id}/users/${staff.id}`, { body: { status: 'suspended' } });
  expect(suspend.body.error.details).toMatchObject({ reason: 'account_scope' });
  expect((await admin.rest('DELETE', `/accounts/${account.id}/users/${made.body.data.id}`)).status).toBe(200);
  expect((await admin.rest('GET', '/auth/api-keys')).status).toBe(403);
  expect((await admin.rest('GET', '/organization')).body.error.details).toMatchObject({ reason: 'account_scope' });
});

test('a logged-in user reads only one account after an administrator limits the user to this account', async () => {
  const user: TestUser = await userOf(tenant, 'member');
  expect((await user.rest('GET', '/accounts')).body.data.length).toBeGreaterThan(1);
  const path = `/accounts/${user.account.id}/users/${user.id}`;
  await tenant.rest('PUT', path, { body: { accounts: [account.id] } });
  await eventually(async () => (await user.rest('GET', '/accounts')).body.data.length === 1);
  expect((await user.rest('GET', '/auth/verify')).body.data).toMatchObject({ accounts: [account.id] });
});
