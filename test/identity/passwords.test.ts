import { beforeAll, describe, expect, test } from 'vitest';
import { MailRejected } from '../../kernel/messages/mail.ts';
import { newId } from '../../kernel/records/ids.ts';
import { secretDigest } from '../../subgraphs/identity/tokens/secret.ts';
import { eventually, type Rig, rig } from '../rig.ts';
import { rows, rowsWith, tables } from '../support/tables.ts';
import type { Tenant } from '../tenant.ts';
import { invited, login, PASSWORD, tokenMailedTo, userOf } from '../users.setup.ts';

let platform: Rig;
let tenant: Tenant;
beforeAll(async () => {
  platform = await rig();
  tenant = await platform.organization({ plan: 'custom' });
});

const open = { headers: { authorization: '' } };
const choose = (token: string, password = PASSWORD) => tenant.rest('POST', '/auth/password', { body: { token, password }, ...open });
const ask = (email: string) => tenant.rest('POST', '/auth/password/reset', { body: { email }, ...open });

describe('password reset', () => {
  test('the link of a password reset email sets a password once, revokes all sessions and notifies the user', async () => {
    const user = await userOf(tenant);
    expect((await ask(user.email.toUpperCase())).body.data).toEqual({ accepted: true });
    const token = await tokenMailedTo(user.email, /new password/);
    const chosen = await choose(token, 'another horse battery');
    expect([chosen.status, chosen.body.data.id]).toEqual([200, user.id]);
    expect((await user.rest('GET', '/auth/verify')).status).toBe(401);
    expect((await login(tenant, user.email)).status).toBe(401);
    expect((await login(tenant, user.email, 'another horse battery')).status).toBe(200);
    expect((await choose(token, 'a third horse battery')).body.error).toMatchObject({ code: 'INVALID_CREDENTIALS' });
    await eventually(() => platform.mails.some(({ to, subject }) => to === user.email && /was changed/.test(subject)));
  });

  test("the HTML part of the password reset email contains the link and escapes HTML in the user's name", async () => {
    const user = await userOf(tenant);
    const name = '<a href="https://evil.example">Bob</a>';
    expect((await tenant.rest('PUT', `/accounts/${user.account.id}/users/${user.id}`, { body: { name } })).status).toBe(200);
    await ask(user.email);
    const token = await tokenMailedTo(user.email, /new password/);
    const { text, html } = platform.mails.find((mail) => mail.to === user.email && mail.text.includes(token)) as {
      text: string;
      html?: string;
    };
    expect(text).toContain(`Hello ${name},`);
    expect(html).toContain(`/password?token=${token}">Choose a password</a>`);
    expect(html).toContain('&lt;a href=&quot;https://evil.example&quot;&gt;Bob&lt;/a&gt;');
    expect(html).not.toContain('<a href="https://evil.example"');
  });

  test('a password reset for an unknown email address returns the same response as for a known one and sends no email', async () => {
    const email = `${newId('user').toLowerCase()}@example.com`;
    const known = await userOf(tenant);
    const [absent, present] = [await ask(email), await ask(known.email)];
    expect([absent.status, absent.body.data]).toEqual([present.status, present.body.data]);
    await tokenMailedTo(known.email, /new password/);
    expect(platform.mails.filter(({ to }) => to === email)).toEqual([]);
  });

  test('a password reset email is retried after a temporary failure and dropped after a permanent failure', async () => {
    const [gone, busy] = [await userOf(tenant), await userOf(tenant)];
    platform.mailFailures.set(gone.email, [new MailRejected(`550 5.1.1 ${gone.id} has no mailbox`)]);
    platform.mailFailures.set(busy.email, [new Error(`450 ${busy.id} is busy`)]);
    await Promise.all([ask(gone.email), ask(busy.email)]);
    const dropped = await eventually(() => platform.logged.find((line) => line.includes(`${gone.id} has no mailbox`)));
    expect(dropped).toContain('A message cannot be delivered and is dropped');
    await eventually(() => platform.logged.some((line) => line.includes(`${busy.id} is busy`)));
    await platform.advance(60_000);
    await tokenMailedTo(busy.email, /new password/);
    expect(platform.mails.filter(({ to, subject }) => to === gone.email && /new password/.test(subject))).toEqual([]);
  });

  test('using a password reset link after an hour or an invitation link after seven days returns 401', async () => {
    const user = await userOf(tenant);
    await ask(user.email);
    const token = await tokenMailedTo(user.email, /new password/);
    const { email } = await invited(tenant);
    const invitation = await tokenMailedTo(email);
    await platform.advance(3_600_000 + 1000);
    expect((await choose(token, 'another horse battery')).status).toBe(401);
    await platform.advance(7 * 86_400_000);
    expect((await choose(invitation)).status).toBe(401);
    // a reset request for an invited user sends the invitation again
    await ask(email);
    const renewed = await eventually(async () => {
      const latest = await tokenMailedTo(email);
      return latest === invitation ? undefined : latest;
    });
    expect((await choose(renewed)).body.data.status).toBe('active');
  });

  test('using a password reset link makes earlier reset links of the user invalid', async () => {
    const user = await userOf(tenant);
    await ask(user.email);
    const first = await tokenMailedTo(user.email, /new password/);
    await ask(user.email);
    const second = await eventually(async () => {
      const latest = await tokenMailedTo(user.email, /Choose a new/);
      return latest === first ? undefined : latest;
    });
    expect((await choose(second, 'another horse battery')).status).toBe(200);
    expect((await choose(first, 'a third horse battery')).status).toBe(401);
  });

  test('the sixth password reset request for an email address from the same IP address returns 429', async () => {
    const email = `${newId('user').toLowerCase()}@example.com`;
    for (let attempt = 0; attempt < 5; attempt += 1) expect((await ask(email)).status).toBe(202);
    expect((await ask(email)).status).toBe(429);
  });

  test.each([
    ['an invitation link', async () => tokenMailedTo((await invited(tenant)).email)],
    [
      'a password reset link',
      async () => {
        const { email } = await userOf(tenant);
        await ask(email);
        return tokenMailedTo(email, /new password/);
      },
    ],
  ])('the token of %s appears in no table and no log entry as plain text, neither before nor after its use', async (_, mailed) => {
    const token = await mailed();
    const expectNowhere = async () => {
      for (const table of await tables()) expect(await rowsWith(table, token), table).toBe(0);
      expect(platform.logged.join('\n')).not.toContain(token);
    };
    const [jobs] = await (await rows()).query<{ count: number }>(
      "select count(*)::int as count from pgboss.job where name like 'identity.%'",
      [],
    );
    expect([jobs?.count, await rowsWith('identity.one_time_token', secretDigest(token))]).not.toContain(0);
    await expectNowhere();
    expect((await choose(token, 'another horse battery')).status).toBe(200);
    await expectNowhere();
  });
});

describe('password rules', () => {
  test.each([
    ['short', 'must have 12 to 128 characters'],
    ['x'.repeat(129), 'must have 12 to 128 characters'],
    ['password1234', 'is too easy to guess'],
    ['aaaaaaaaaaaaaaaa', 'is too easy to guess'],
    ['qwertyqwerty!1', 'is too easy to guess'],
  ])('choosing the weak password %s returns 400, and the link can then be used with a better password', async (password, reason) => {
    const { email } = await invited(tenant);
    const token = await tokenMailedTo(email);
    const { status, body } = await choose(token, password);
    expect([status, body.error.details.field, body.error.details.reason]).toEqual([400, 'password', reason]);
    expect(JSON.stringify(body)).not.toContain(password);
    expect((await choose(token)).status).toBe(200);
  });

  test("choosing a password that contains the user's email address returns an error", async () => {
    const { email } = await invited(tenant);
    expect((await choose(await tokenMailedTo(email), `${email}1`)).body.error.details.reason).toBe(
      'must not consist of your name or e-mail address',
    );
  });

  test('changing the password requires the old password and revokes all other sessions', async () => {
    const user = await userOf(tenant);
    const other = await user.again();
    const change = (current: string, next: string) =>
      user.rest('POST', '/auth/password/change', { body: { current_password: current, new_password: next } });
    expect((await change('not the password', 'another horse battery')).status).toBe(401);
    expect((await change(PASSWORD, 'short')).body.error.details.field).toBe('new_password');
    expect((await change(PASSWORD, 'another horse battery')).status).toBe(200);
    expect((await user.rest('GET', '/auth/verify')).status).toBe(200);
    expect((await other.rest('GET', '/auth/verify')).status).toBe(401);
    expect((await login(tenant, user.email, 'another horse battery')).status).toBe(200);
    const key = await tenant.rest('POST', '/auth/password/change', { body: { current_password: PASSWORD, new_password: PASSWORD } });
    expect(key.status).toBe(401);
  });
});

test('submitting the form of /password/forgot with a null character in the email address returns 400', async () => {
  const response = await fetch(`${tenant.origin}/password/forgot`, {
    method: 'POST',
    body: new URLSearchParams({ email: 'a\0@example.com' }),
  });
  expect(response.status).toBe(400);
});

describe('login while the password or the status of the user changes', () => {
  const core = async () => (await rig()).assembly.domains.identity.core;
  const client = { ip: '127.0.0.1', userAgent: 'Test' };

  test('a login returns INVALID_CREDENTIALS if the password was changed between the password check and the session start', async () => {
    const user = await userOf(tenant);
    const { login: logins, sessions } = await core();
    const checked = await logins.check(user.email, PASSWORD, client);
    const body = { current_password: PASSWORD, new_password: 'another horse battery' };
    expect((await user.rest('POST', '/auth/password/change', { body })).status).toBe(200);
    await expect(sessions.open(checked, { method: 'password', client })).rejects.toMatchObject({ code: 'INVALID_CREDENTIALS' });
    expect((await user.rest('GET', '/auth/sessions')).body.data).toHaveLength(1);
  });

  test('a login returns INVALID_CREDENTIALS if the user was suspended between the password check and the session start', async () => {
    const user = await userOf(tenant, 'member');
    const { login: logins, sessions } = await core();
    const checked = await logins.check(user.email, PASSWORD, client);
    const path = `/accounts/${user.account.id}/users/${user.id}`;
    expect((await tenant.rest('PUT', path, { body: { status: 'suspended' } })).status).toBe(200);
    await expect(sessions.open(checked, { method: 'password', client })).rejects.toMatchObject({ code: 'INVALID_CREDENTIALS' });
  });
});
