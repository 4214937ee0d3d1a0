import { beforeEach, describe, expect, test } from 'vitest';
import { rig } from '../rig.ts';
import { onlyTable, rows } from '../support/tables.ts';
import { type Json, Tenant } from '../tenant.ts';
import { login, PASSWORD, userOf } from '../users.setup.ts';
import { challengeOf, codeSentTo, confirmed, enrolled, newChallenge, protectedRequest, totp, verifyCode, withSms } from './mfa.setup.ts';

const MINUTE_MS = 60_000;

let tenant: Tenant;
beforeEach(async () => {
  tenant = await (await rig()).organization({ plan: 'custom' });
});

describe('verified challenge', () => {
  test('a verified second-factor challenge is valid for fifteen minutes in its own session only, even after a token refresh', async () => {
    const { advance } = await rig();
    const { user, secret } = await enrolled(tenant);
    const other = await user.again();
    expect((await verifyCode(user, await challengeOf(user), await totp(secret))).status).toBe(200);
    expect((await protectedRequest(user)).status).toBe(200);
    expect((await protectedRequest(other)).status).toBe(403);
    const { body } = await user.rest('POST', '/auth/refresh', { body: { refresh_token: user.tokens.refresh_token } });
    const refreshed = new Tenant(user.origin, user.organizationId, body.data.access_token);
    expect((await protectedRequest(refreshed)).status).toBe(200);
    await advance(14 * MINUTE_MS);
    expect((await protectedRequest(user)).status).toBe(200);
    await advance(MINUTE_MS + 1000);
    for (const caller of [user, refreshed]) expect((await protectedRequest(caller)).body.error).toBe('mfa_required');
  });

  test('a login after a logout requires a new second-factor challenge', async () => {
    const { user, secret } = await enrolled(tenant);
    await verifyCode(user, await challengeOf(user), await totp(secret));
    expect((await user.rest('POST', '/auth/logout')).status).toBe(200);
    expect((await protectedRequest(user)).status).toBe(401);
    const { body } = await login(tenant, user.email);
    expect((await protectedRequest(new Tenant(user.origin, user.organizationId, body.data.access_token))).status).toBe(403);
  });

  test("needs_second_factor of GET /auth/verify is true until the session's challenge is verified", async () => {
    const { user, secret } = await enrolled(tenant);
    const needs = async () => (await user.rest('GET', '/auth/verify')).body.data.needs_second_factor;
    expect(await needs()).toBe(true);
    await verifyCode(user, await challengeOf(user), await totp(secret));
    expect(await needs()).toBe(false);
  });
});

describe('operations that require a second factor', () => {
  test.each([
    ['changing the password', 'POST', '/auth/password/change', { current_password: PASSWORD, new_password: `${PASSWORD} staple` }],
    ['creating an API key', 'POST', '/auth/api-keys', { name: 'Key', permissions: ['services:read'] }],
    ['creating backup codes', 'POST', '/auth/mfa/backup-codes', undefined],
  ])('%s returns 403 mfa_required until the user verifies a second factor', async (_, method, path, body) => {
    const { user, secret } = await enrolled(tenant);
    const refused = await user.rest(method, path, { body });
    expect(refused.status).toBe(403);
    expect(refused.body.error).toBe('mfa_required');
    expect((await login(tenant, user.email)).status).toBe(200);
    expect((await verifyCode(user, refused.body.challenge_id, await totp(secret))).status).toBe(200);
    expect((await user.rest(method, path, { body })).status).toBeLessThan(300);
  });
});

describe('challenges', () => {
  test('verifying a second-factor challenge of another session, user or organization returns 404', async () => {
    const { user, secret } = await enrolled(tenant);
    const challenge = await challengeOf(user);
    const strangers = [await user.again(), await userOf(tenant), (await enrolled(await (await rig()).organization())).user, tenant];
    for (const stranger of strangers) {
      for (const id of [challenge, 'mfac_01JQ8Z6V4T9M3N2B1C0D9E8F7G']) {
        const refused = await verifyCode(stranger, id, await totp(secret));
        expect(refused.status).toBe(404);
        expect(refused.body.error).toMatchObject({ code: 'RESOURCE_NOT_FOUND', details: { resource: 'mfa_challenge', id } });
        expect((await stranger.rest('POST', `/auth/mfa/challenges/${id}/send`, { body: { method: 'sms' } })).status).toBe(404);
      }
    }
    expect((await verifyCode(user, challenge, await totp(secret))).status).toBe(200);
  });

  test('all requests of a session that are rejected with mfa_required get the same challenge, even concurrent requests', async () => {
    const { user } = await enrolled(tenant);
    const ids = [await challengeOf(user), ...(await Promise.all(Array.from({ length: 8 }, () => challengeOf(user))))];
    expect(new Set(ids).size).toBe(1);
    const [row] = await (await rows()).query<{ count: number }>(
      'select count(*)::int as count from identity.mfa_challenge where user_id = $1',
      [user.id],
    );
    expect(row?.count).toBe(1);
    expect((await user.rest('POST', '/auth/mfa/challenges')).body.data.challenge_id).toBe(ids[0]);
  });

  test('verifying a second-factor challenge after ten minutes returns 409, and the next protected request gets a new challenge', async () => {
    const { user, secret } = await enrolled(tenant);
    const challenge = await challengeOf(user);
    await (await rig()).advance(10 * MINUTE_MS + 1000);
    expect((await verifyCode(user, challenge, await totp(secret))).status).toBe(409);
    expect(await challengeOf(user)).not.toBe(challenge);
  });

  test('creating a second factor or a second-factor challenge with an API key returns 409 INVALID_STATE', async () => {
    const refused = await tenant.rest('POST', '/auth/mfa/challenges');
    expect(refused.status).toBe(409);
    expect(refused.body.error.code).toBe('INVALID_STATE');
    for (const path of ['totp/setup', 'email/setup', 'backup-codes'])
      expect((await tenant.rest('POST', `/auth/mfa/${path}`)).status, path).toBe(409);
    expect((await tenant.rest('GET', '/auth/mfa/methods')).body.data).toEqual([]);
  });
});

describe('changes of second factors', () => {
  test('removing a second factor requires a verified challenge, and other sessions must verify again after new backup codes', async () => {
    const { user, secret } = await confirmed(tenant);
    const other = await user.again();
    await verifyCode(other, await challengeOf(other), await totp(secret));
    const [method] = (await user.rest('GET', '/auth/mfa/methods')).body.data;
    const refused = await user.rest('DELETE', `/auth/mfa/methods/${method.id}`);
    expect(refused.body.error).toBe('mfa_required');
    await verifyCode(user, refused.body.challenge_id, await totp(secret, 1));
    expect((await protectedRequest(other)).status).toBe(200);
    expect((await user.rest('POST', '/auth/mfa/backup-codes')).status).toBe(201);
    expect((await protectedRequest(user)).status).toBe(200);
    expect((await protectedRequest(other)).status).toBe(403);

    expect((await user.rest('DELETE', `/auth/mfa/methods/${method.id}`)).status).toBe(200);
    expect((await user.rest('DELETE', `/auth/mfa/methods/${method.id}`)).status).toBe(404);
    expect((await protectedRequest(other)).status).toBe(200);
    expect((await user.rest('POST', '/auth/mfa/backup-codes')).status).toBe(409);
  });

  test('deleting a second factor of another user returns 404', async () => {
    const [one, other] = [await enrolled(tenant), await enrolled(tenant)];
    await verifyCode(one.user, await challengeOf(one.user), await totp(one.secret));
    const [method] = (await other.user.rest('GET', '/auth/mfa/methods')).body.data;
    expect((await one.user.rest('DELETE', `/auth/mfa/methods/${method.id}`)).status).toBe(404);
    expect((await other.user.rest('GET', '/auth/mfa/methods')).body.data).toHaveLength(1);
  });

  test('an OAuth client acting for a user gets ACCESS_RESTRICTED when setting up TOTP', async () => {
    const { user } = await enrolled(tenant);
    const { domains } = (await rig()).assembly;
    const { Principal } = await import('../../kernel/access/principal.ts');
    const { id, organizationId } = user;
    const principal = new Principal({
      kind: 'user',
      id,
      organizationId,
      plan: 'custom',
      grants: ['*:*'],
      sessionId: 'grant_1',
      clientId: 'client_1',
    });
    const { methods } = domains.identity.core.mfa;
    await expect(methods.setupTotp({ principal } as never)).rejects.toMatchObject({ code: 'ACCESS_RESTRICTED' });
  });

  test('the database contains no TOTP secret, sent code or backup code as plain text', async () => {
    const { user, secret, backupCodes } = await enrolled(tenant);
    const { user: other, number } = await withSms(tenant);
    await challengeOf(other);
    const code = await codeSentTo(number, 2);
    const all = await rows();
    const stored = JSON.stringify([
      await all.query('select * from identity.mfa_method where user_id = $1', [user.id]),
      await all.query('select * from identity.backup_code where user_id = $1', [user.id]),
      await all.query('select code_hash from identity.mfa_challenge where user_id = $1', [other.id]),
    ]);
    for (const text of [secret, code, ...backupCodes, ...backupCodes.map((one) => one.replaceAll('-', ''))])
      expect(stored).not.toContain(text);
  });
});

describe('reset of second factors', () => {
  const reset = (caller: Tenant, userId: string) => caller.rest('DELETE', `/auth/mfa/users/${userId}`);

  test("an administrator can reset a user's second factors, which sends an email and creates an audit record", async () => {
    const { user, backupCodes } = await confirmed(tenant, 'member');
    const admin = await userOf(tenant, 'admin');
    expect((await admin.rest('GET', `/auth/mfa/methods?user_id=${user.id}`)).body.data).toHaveLength(1);
    const done = await reset(admin, user.id);
    expect(done.status, JSON.stringify(done.body)).toBe(200);
    expect(done.body.data).toMatchObject({ id: user.id, second_factor: false });
    expect((await user.rest('GET', '/auth/mfa/methods')).body.data).toEqual([]);
    const again = await user.rest('POST', '/auth/mfa/totp/setup');
    expect(again.status).toBe(201);
    expect((await verifyCode(user, await newChallenge(user), backupCodes[0] ?? '')).status).toBe(401);
    const { body } = await tenant.rest('GET', `/auth/audit?user_id=${user.id}&event_type=mfa_reset`);
    expect(body.data).toMatchObject([{ reason: `by user ${admin.id}`, session_id: admin.tokens.session_id }]);
    const { mails } = await rig();
    expect(mails.findLast(({ to, subject }) => to === user.email && /removed/.test(subject))?.text).toContain('by an administrator');
  });

  test('resetting the second factors of a user with more permissions returns 403, and of a user of another organization 404', async () => {
    const { user: owner } = await confirmed(tenant, 'owner');
    const admin = await userOf(tenant, 'admin');
    expect((await reset(admin, owner.id)).body.error.code).toBe('INSUFFICIENT_PERMISSIONS');
    expect((await reset(await (await rig()).organization(), owner.id)).status).toBe(404);
    expect((await reset(await userOf(tenant, 'member'), owner.id)).status).toBe(403);
    expect((await admin.rest('GET', '/auth/mfa/methods?user_id=user_none')).status).toBe(404);
    expect((await (await userOf(tenant, 'member')).rest('GET', `/auth/mfa/methods?user_id=${owner.id}`)).status).toBe(404);
    expect((await reset(tenant, owner.id)).status).toBe(200);
  });

  test('an administrator with a second factor gets mfa_required when resetting the second factors of another user', async () => {
    const { user } = await enrolled(tenant, 'member');
    const { user: admin } = await enrolled(tenant, 'admin');
    expect((await reset(admin, user.id)).body.error).toBe('mfa_required');
  });
});

describe('organization that requires a second factor', () => {
  const demand = (caller: Tenant, isRequired = true) =>
    caller.rest('PUT', '/organization', { body: { second_factor_required: isRequired } });

  test('users of an organization that requires a second factor get mfa_required until they enrol and verify a factor', async () => {
    const user = await userOf(tenant);
    const changed = await demand(tenant);
    expect(changed.status).toBe(200);
    expect(changed.body.data).toMatchObject({ id: tenant.organizationId, second_factor_required: true });
    const refused = await protectedRequest(user);
    expect(refused.status).toBe(403);
    expect(refused.body).toEqual({
      error: 'mfa_required',
      challenge_id: expect.stringMatching(/^mfac_/),
      methods: ['totp', 'sms', 'email'],
      message: expect.stringContaining('Enrol one'),
    });
    expect((await verifyCode(user, refused.body.challenge_id, '123456')).body.error.details).toMatchObject({ field: 'method' });
    const { body } = await user.rest('POST', '/auth/mfa/totp/setup');
    expect((await verifyCode(user, refused.body.challenge_id, await totp(body.data.secret))).status).toBe(200);
    expect((await protectedRequest(user)).status).toBe(200);
    expect((await user.rest('GET', '/accounts')).status).toBe(200);
  });

  test('the second-factor requirement of an organization does not apply to API keys and can be removed', async () => {
    const user = await userOf(tenant);
    await demand(tenant);
    expect((await protectedRequest(tenant)).status).toBe(200);
    expect((await protectedRequest(user)).status).toBe(403);
    expect((await demand(user, false)).status).toBe(403);
    await demand(tenant, false);
    expect((await protectedRequest(user)).status).toBe(200);
    const { body } = await tenant.rest('GET', '/auth/audit?event_type=organization_updated');
    expect(body.data.map(({ reason }: Json) => reason)).toEqual(['second factor not required', 'second factor required']);
  });

  test('changing the second-factor requirement needs accounts:admin, and invalid values return 400', async () => {
    const limited = await tenant.limitedTo('accounts:write');
    expect((await demand(limited)).body.error.details).toEqual({ required: 'accounts:admin' });
    for (const body of [
      { name: '' },
      { name: null },
      { second_factor_required: 'yes' },
      { second_factor_required: null },
      { plan: 'custom' },
    ])
      expect((await tenant.rest('PUT', '/organization', { body })).status, JSON.stringify(body)).toBe(400);
    expect((await tenant.rest('PUT', '/organization', { body: { name: 'Renamed' } })).body.data.name).toBe('Renamed');
    expect((await tenant.rest('GET', '/organization')).body.data).toMatchObject({ name: 'Renamed', second_factor_required: false });
  });
});

test('listing second factors runs one SQL statement for any number of factors', async () => {
  const { statements } = await rig();
  const { user, secret } = await enrolled(tenant);
  await verifyCode(user, await challengeOf(user), await totp(secret));
  const list = () => user.rest('GET', '/auth/mfa/methods');
  await list();
  const before = (await statements(list)).length;
  await user.rest('POST', '/auth/mfa/email/setup');
  expect((await list()).body.data).toHaveLength(2);
  expect((await statements(list)).length).toBe(before);
  expect(before).toBe(1);
});

test('removing a user deletes all their second-factor data', async () => {
  const { user } = await enrolled(tenant, 'admin');
  await challengeOf(user);
  expect((await tenant.rest('DELETE', `/accounts/${user.account.id}/users/${user.id}`)).status).toBe(200);
  for (const table of ['mfa_method', 'backup_code', 'mfa_challenge'])
    await expect((await onlyTable(`identity.${table}`)).set('user_id', user.id, 'user_id', user.id), table).rejects.toThrow('No row');
});
