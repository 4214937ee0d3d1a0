import { beforeAll, describe, expect, test } from 'vitest';
import { newId } from '../../kernel/records/ids.ts';
import { createAccount } from '../billing.setup.ts';
import { eventually, type Rig, rig } from '../rig.ts';
import { DUE_IDENTITY_JOBS } from '../support/identity-jobs.ts';
import { rows } from '../support/tables.ts';
import type { Json, RestResponse, Tenant } from '../tenant.ts';
import { login, PASSWORD, userOf } from '../users.setup.ts';

let platform: Rig;
let tenant: Tenant;
beforeAll(async () => {
  platform = await rig();
  tenant = await platform.organization({ plan: 'custom' });
});

const newAddress = (): string => `${newId('user').toLowerCase()}@example.com`;
async function invite(by: Tenant, email: string): Promise<RestResponse & { path: string }> {
  const account = await createAccount(by);
  const path = `/accounts/${account.id}/users`;
  const response = await by.rest('POST', path, { body: { email, name: 'Grace', role: 'member' } });
  return { ...response, path: `${path}/${response.body.data?.id}` };
}
const mailsTo = (email: string, subject = /./) => platform.mails.filter((mail) => mail.to === email && subject.test(mail.subject));
const linksTo = (email: string): string[] => mailsTo(email).flatMap(({ text }) => /token=([\w-]+)/.exec(text)?.[1] ?? []);
/** Removes the values from statements, because the statements that insert jobs contain the data of the jobs. */
const withoutValues = (statements: string[]): string[] => statements.map((sql) => sql.replace(/'[^']*'/g, '?'));
const choose = (token: string | undefined) =>
  tenant.rest('POST', '/auth/password', { body: { token, password: PASSWORD }, headers: { authorization: '' } });
/** The user without the fields that differ between any two users. */
const shape = ({ id: _, account_id: __, email: ___, created_at: ____, updated_at: _____, accounts, ...rest }: Json): Json => ({
  ...rest,
  accounts: accounts?.length,
});

describe('invitations of an address in use by another organization', () => {
  test('inviting an email address that another organization uses gets the same responses as inviting a new address', async () => {
    const known = await userOf(await platform.organization());
    const [taken, free] = [await invite(tenant, known.email.toUpperCase()), await invite(tenant, newAddress())];
    expect([taken.status, free.status]).toEqual([201, 201]);
    expect(shape(taken.body.data)).toEqual(shape(free.body.data));
    expect(taken.body.data).toMatchObject({ email: known.email, status: 'invited' });
    await eventually(() => mailsTo(known.email, /in use/).length === 1);

    for (const step of [
      (path: string) => tenant.rest('GET', path.replace(/\/user_\w+$/, '?status=invited&sort=email:asc')),
      (path: string) => tenant.rest('PUT', path, { body: { name: 'Renamed', role: 'support' } }),
      (path: string) => tenant.rest('PUT', path, { body: { status: 'suspended' } }),
      (path: string) => tenant.rest('PUT', path, { body: { status: 'active' } }),
      (path: string) => tenant.rest('DELETE', path),
    ]) {
      const [one, other] = [await step(taken.path), await step(free.path)];
      expect(one.status).toBe(200);
      expect(one.status).toBe(other.status);
      const data = ({ body }: RestResponse) => [body.data].flat().map(shape);
      expect(data(one)).toEqual(data(other));
    }
    const search = await tenant.rest('GET', `${taken.path.replace(/\/user_\w+$/, '')}?search=${encodeURIComponent(known.email)}`);
    expect(search.body.data).toEqual([]);
  });

  test('searching users by email address finds an invitation even if another organization uses this address', async () => {
    const known = await userOf(await platform.organization());
    const { path, body } = await invite(tenant, known.email);
    const found = await tenant.rest('GET', `${path.replace(/\/user_\w+$/, '')}?search=${known.email.slice(0, 20)}`);
    expect(found.body.data.map(({ id }: Json) => id)).toEqual([body.data.id]);
  });

  test('inviting an email address that another organization uses sends an email without a link', async () => {
    const known = await userOf(await platform.organization());
    const links = linksTo(known.email);
    await invite(tenant, known.email);
    const [mail] = await eventually(() => mailsTo(known.email, /in use/).length > 0 && mailsTo(known.email, /in use/));
    expect(mail?.text).toContain('expires');
    expect(mail?.text).not.toContain('token=');
    expect(linksTo(known.email)).toEqual(links);
    expect((await login(tenant, known.email)).body.data.user.id).toBe(known.id);
  });

  test('inviting an email address that another organization uses runs the same SQL statements as inviting a new address', async () => {
    const known = await userOf(await platform.organization());
    const account = await createAccount(tenant);
    const statements = async (email: string) => {
      const seen = await platform.statements(() =>
        tenant.rest('POST', `/accounts/${account.id}/users`, { body: { email, name: 'Grace' } }),
      );
      return withoutValues(seen.filter((sql) => !sql.includes('audit_record')));
    };
    await statements(newAddress());
    expect(await statements(known.email)).toEqual(await statements(newAddress()));
  });
});

describe('two invitations of one address', () => {
  test('if two organizations invite one email address, the first link to be used activates a user, and the other returns 401', async () => {
    const stranger = await platform.organization({ plan: 'custom' });
    const email = newAddress();
    const [one, other] = await Promise.all([invite(tenant, email), invite(stranger, email)]);
    expect([one.status, other.status]).toEqual([201, 201]);
    await eventually(() => linksTo(email).length === 2);
    const chosen = await Promise.all(linksTo(email).map(choose));
    expect(chosen.map(({ status }) => status).toSorted()).toEqual([200, 401]);
    expect((await login(tenant, email)).status).toBe(200);
    const states = [(await list(tenant, email))[0].status, (await list(stranger, email))[0].status];
    expect(states.toSorted()).toEqual(['ACTIVE', 'INVITED']);
  });

  test('one of two concurrent invitations of an email address in an organization returns 201 and the other returns 409', async () => {
    const email = newAddress();
    const responses = await Promise.all([invite(tenant, email), invite(tenant, email)]);
    expect(responses.map(({ status }) => status).toSorted()).toEqual([201, 409]);
  });
});

describe('invitations of an address in use by another account', () => {
  /** Creates an administrator of one account and a user of another account of the same organization. */
  async function strangers() {
    const [admin, known] = [await userOf(tenant, 'account_admin'), await userOf(tenant, 'member')];
    await tenant.rest('PUT', `/accounts/${known.account.id}/users/${known.id}`, { body: { accounts: [known.account.id] } });
    const path = `/accounts/${admin.account.id}/users`;
    const inviteBy = (by: Tenant, email: string) => by.rest('POST', path, { body: { email, name: 'Grace', role: 'member' } });
    return { admin, known, path, inviteBy };
  }

  test('inviting a user of an account hidden from the caller returns the same response as a new address, and sends an email', async () => {
    const { admin, known, path, inviteBy } = await strangers();
    const [taken, free] = [await inviteBy(admin, known.email), await inviteBy(admin, newAddress())];
    expect([taken.status, free.status]).toEqual([201, 201]);
    expect(shape(taken.body.data)).toEqual(shape(free.body.data));
    const listed = (await admin.rest('GET', `${path}?status=invited`)).body.data.map(({ id }: Json) => id);
    expect(listed).toEqual(expect.arrayContaining([taken.body.data.id, free.body.data.id]));
    const [mail] = await eventually(() => mailsTo(known.email, /in use/).length > 0 && mailsTo(known.email, /in use/));
    expect(mail?.text).not.toContain('token=');
    expect((await login(tenant, known.email)).body.data.user.id).toBe(known.id);
  });

  test("inviting an email address that a user of the caller's accounts already has returns 409 DUPLICATE_RESOURCE", async () => {
    const { admin, known, inviteBy } = await strangers();
    expect((await inviteBy(tenant, known.email)).body.error.code).toBe('DUPLICATE_RESOURCE');
    const email = newAddress();
    const both = await Promise.all([inviteBy(admin, email), inviteBy(admin, email)]);
    expect(both.map(({ status }) => status).toSorted()).toEqual([201, 409]);
  });

  test('inviting a user of an account hidden from the caller runs the same SQL statements as inviting a new address', async () => {
    const { admin, known, inviteBy } = await strangers();
    const statements = async (email: string) => {
      const seen = await platform.statements(() => inviteBy(admin, email));
      return withoutValues(seen.filter((sql) => !sql.includes('audit_record')));
    };
    await statements(newAddress());
    expect(await statements(known.email)).toEqual(await statements(newAddress()));
  });

  test('if two accounts invite one new email address, the first link to be used activates a user, and the other returns 401', async () => {
    const { admin, inviteBy } = await strangers();
    const email = newAddress();
    const other = await strangers();
    expect((await other.inviteBy(other.admin, email)).status).toBe(201);
    expect((await inviteBy(admin, email)).status).toBe(201);
    await eventually(() => linksTo(email).length === 2);
    const chosen = await Promise.all(linksTo(email).map(choose));
    expect(chosen.map(({ status }) => status).toSorted()).toEqual([200, 401]);
  });
});

const list = async (by: Tenant, search: string): Promise<Json[]> =>
  (await by.graphql('query ($search: String!) { users(filter: { search: $search }) { nodes { id status email } } }', { search })).data.users
    .nodes;

test('an email address gets at most five invitations in 15 minutes, while each invitation request returns 201', async () => {
  const email = newAddress();
  for (let times = 0; times < 7; times += 1) {
    const { status, path } = await invite(tenant, email);
    expect(status).toBe(201);
    expect((await tenant.rest('DELETE', path)).status).toBe(200);
    const { status: again } = await invite(await platform.organization(), email);
    expect(again).toBe(201);
  }
  await eventually(async () => (await (await rows()).query(DUE_IDENTITY_JOBS, [])).length === 0);
  expect(mailsTo(email).length).toBeLessThanOrEqual(5);
  expect(mailsTo(email)).not.toHaveLength(0);
});

test('a user who was created or activated by the previous release of the platform can log in', async () => {
  const database = await rows();
  const known = await userOf(tenant);
  const [id, other] = [newId('user'), newId('user')];
  const insert = `insert into identity."user" (id, organization_id, email, name, role, status, password_hash, second_factor, created_at, updated_at)
    select $1::text, organization_id, $2::text, name, role, $3::text, password_hash, false, created_at, updated_at from identity."user" where id = $4`;
  await database.query(insert, [id, `${id.toLowerCase()}@example.com`, 'active', known.id]);
  expect((await login(tenant, `${id}@example.com`)).body.data.user).toMatchObject({ id, email: `${id.toLowerCase()}@example.com` });

  const { body } = await invite(tenant, `${other.toLowerCase()}@example.com`);
  const activate = `update identity."user" set status = 'active', password_hash = (select password_hash from identity."user" where id = $2) where id = $1`;
  await database.query(activate, [body.data.id, known.id]);
  expect((await login(tenant, `${other}@example.com`)).body.data.user.id).toBe(body.data.id);
});
