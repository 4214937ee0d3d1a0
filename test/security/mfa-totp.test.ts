import { beforeEach, describe, expect, test } from 'vitest';
import { eventually, rig } from '../rig.ts';
import type { Json, Tenant } from '../tenant.ts';
import { userOf } from '../users.setup.ts';
import { challengeOf, confirmed, enrolled, order, orderOf, protectedRequest, STEP_MS, totp, verifyCode, wrongTotp } from './mfa.setup.ts';

let tenant: Tenant;
beforeEach(async () => {
  tenant = await (await rig()).organization({ plan: 'custom' });
});

describe('TOTP enrolment and verification', () => {
  test('after TOTP setup, a service order returns mfa_required until verification, with the bodies of specification 2.4', async () => {
    const { clock } = await rig();
    const user = await userOf(tenant, 'admin');
    const setup = await user.rest('POST', '/auth/mfa/totp/setup');
    expect(setup.status).toBe(201);
    expect(setup.body.data).toEqual({
      method_id: expect.stringMatching(/^mfa_/),
      secret: expect.stringMatching(/^[A-Z2-7]{32}$/),
      qr_code: expect.stringMatching(/^data:image\/png;base64,iVBOR/),
      backup_codes: expect.any(Array),
      setup_url: expect.stringMatching(/^otpauth:\/\/totp\/.+secret=/),
    });
    expect(new URL(setup.body.data.setup_url).searchParams.get('secret')).toBe(setup.body.data.secret);
    expect(new Set(setup.body.data.backup_codes).size).toBe(10);

    const body = await orderOf(tenant);
    const headers = { 'idempotency-key': user.id };
    const refused = await order(user, body, headers);
    expect(refused.status).toBe(403);
    expect(refused.body).toEqual({
      error: 'mfa_required',
      challenge_id: expect.stringMatching(/^mfac_/),
      methods: ['totp'],
      message: expect.stringContaining('/v1/auth/mfa/verify'),
    });

    const verified = await verifyCode(user, refused.body.challenge_id, await totp(setup.body.data.secret));
    expect(verified.status, JSON.stringify(verified.body)).toBe(200);
    expect(verified.body.data).toEqual({
      challenge_id: refused.body.challenge_id,
      verified: true,
      method: 'totp',
      verified_at: expect.any(String),
      valid_until: expect.any(String),
      backup_codes_left: 10,
      backup_codes: null,
    });
    const until = Date.parse(verified.body.data.valid_until);
    expect(until - Date.parse(verified.body.data.verified_at)).toBe(900_000);
    expect(Math.abs(until - clock.now().getTime() - 900_000)).toBeLessThan(60_000);

    const repeated = await order(user, body, headers);
    expect(repeated.status, JSON.stringify(repeated.body)).toBe(201);
    expect((await order(user, body, headers)).headers.get('idempotent-replayed')).toBe('true');
  });

  test('an API key, or a user without a second factor, can order a service without a code', async () => {
    const body = await orderOf(tenant);
    expect((await order(tenant, body)).status).toBe(201);
    expect((await order(await userOf(tenant), body)).status).toBe(201);
    await enrolled(tenant);
    expect((await order(tenant, body)).status).toBe(201);
  });

  test('a user with a second factor but without the permission gets INSUFFICIENT_PERMISSIONS, not a challenge', async () => {
    const { user } = await enrolled(tenant, 'support');
    expect((await order(user, await orderOf(tenant))).body.error.code).toBe('INSUFFICIENT_PERMISSIONS');
  });
});

describe('TOTP codes', () => {
  test('a used TOTP code and earlier codes return 401 in every session of the user', async () => {
    const { user, secret } = await enrolled(tenant);
    const [other, third] = [await user.again(), await user.again()];
    const [earlier, code] = [await totp(secret, -1), await totp(secret)];
    expect((await verifyCode(user, await challengeOf(user), code)).status).toBe(200);
    for (const used of [code, earlier]) {
      const refused = await verifyCode(other, await challengeOf(other), used);
      expect(refused.status).toBe(401);
      expect(refused.body.error.code).toBe('INVALID_CREDENTIALS');
    }
    await (await rig()).advance(2 * STEP_MS);
    expect((await verifyCode(third, await challengeOf(third), await totp(secret))).status).toBe(200);
  });

  test('exactly one of five concurrent uses of a TOTP code in different sessions succeeds, and the others return 401', async () => {
    const { user, secret } = await enrolled(tenant);
    const sessions = await Promise.all(Array.from({ length: 5 }, () => user.again()));
    const challenges = await Promise.all(sessions.map(challengeOf));
    const code = await totp(secret);
    const responses = await Promise.all(sessions.map((session, index) => verifyCode(session, challenges[index] ?? '', code)));
    expect(responses.map(({ status }) => status).toSorted()).toEqual([200, 401, 401, 401, 401]);
  });

  test('exactly one of several concurrent verifications of a second-factor challenge succeeds', async () => {
    const { user, secret } = await enrolled(tenant);
    const challenge = await challengeOf(user);
    const codes = [await totp(secret), await totp(secret, 1), await totp(secret)];
    const responses = await Promise.all(codes.map((code) => verifyCode(user, challenge, code)));
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(1);
  });

  test('a TOTP code of 30 s ago or 30 s ahead is accepted, and a code 90 s away returns 401', async () => {
    for (const [steps, status] of [
      [-1, 200],
      [1, 200],
      [-3, 401],
      [3, 401],
    ] as const) {
      const { user, secret } = await enrolled(tenant);
      const challenge = await challengeOf(user);
      const { clock } = await rig();
      // the code would be another step old if half a minute ended before it is verified
      const response = await clock.standingStill(async () => verifyCode(user, challenge, await totp(secret, steps)));
      expect(response.status, `${steps} steps`).toBe(status);
    }
  });

  test.each(['', '12', 'abcdef', '12345a', '1'.repeat(80)])(
    'the malformed TOTP code %j returns 400 and does not count as an attempt',
    async (code) => {
      const { user, secret } = await enrolled(tenant);
      const challenge = await challengeOf(user);
      const refused = await verifyCode(user, challenge, code);
      expect(refused.status).toBe(400);
      expect(refused.body.error).toMatchObject({ code: 'INVALID_PARAMETERS', details: { field: 'code', value: null } });
      expect((await verifyCode(user, challenge, await totp(secret))).status).toBe(200);
    },
  );

  test('a TOTP code with a space between its digits is accepted', async () => {
    const { user, secret } = await enrolled(tenant);
    const code = await totp(secret);
    expect((await verifyCode(user, await challengeOf(user), `${code.slice(0, 3)} ${code.slice(3)}`)).status).toBe(200);
  });
});

describe('guessing TOTP codes', () => {
  test('a second-factor challenge returns 409 for the correct TOTP code after five wrong codes', async () => {
    const { user, secret } = await enrolled(tenant);
    const challenge = await challengeOf(user);
    const wrong = await wrongTotp(secret);
    for (const left of [4, 3, 2, 1, 0])
      expect((await verifyCode(user, challenge, wrong)).body.error.details).toEqual({ attempts_left: left });
    const late = await verifyCode(user, challenge, await totp(secret));
    expect(late.status).toBe(409);
    expect(late.body.error).toMatchObject({ code: 'INVALID_STATE', details: { from: 'failed' } });
    const next = await challengeOf(user);
    expect(next).not.toBe(challenge);
    expect((await verifyCode(user, next, await totp(secret))).status).toBe(200);
  });

  test('at most five of twelve concurrent wrong TOTP codes are checked, and the others return 409', async () => {
    const { user, secret } = await enrolled(tenant);
    const challenge = await challengeOf(user);
    const wrong = await wrongTotp(secret);
    const responses = await Promise.all(Array.from({ length: 12 }, () => verifyCode(user, challenge, wrong)));
    expect(responses.filter(({ status }) => status === 401)).toHaveLength(5);
    expect(responses.filter(({ status }) => status === 409)).toHaveLength(7);
  });

  test('a user gets 429 after fifteen wrong TOTP codes per hour over all sessions and challenges', async () => {
    const { user, secret } = await enrolled(tenant);
    const wrong = await wrongTotp(secret);
    for (let round = 0; round < 3; round += 1) {
      const session = await user.again();
      const challenge = await challengeOf(session);
      for (let guess = 0; guess < 5; guess += 1) expect((await verifyCode(session, challenge, wrong)).status).toBe(401);
    }
    const limited = await verifyCode(user, await challengeOf(user), await totp(secret));
    expect(limited.status).toBe(429);
    expect(limited.body.error).toMatchObject({ code: 'RATE_LIMIT_EXCEEDED', details: { window: 'mfa_attempts', limit: 15 } });
    expect(Number(limited.headers.get('retry-after'))).toBeGreaterThan(0);
    await (await rig()).advance(3_600_000);
    const later = await user.again();
    expect((await verifyCode(later, await challengeOf(later), await totp(secret))).status).toBe(200);
  });

  test('correct TOTP codes do not count against the limit of fifteen attempts per hour', async () => {
    const { user, secret } = await enrolled(tenant);
    for (let round = 0; round < 17; round += 1) {
      const session = await user.again();
      await (await rig()).advance(2 * STEP_MS);
      expect((await verifyCode(session, await challengeOf(session), await totp(secret))).status).toBe(200);
    }
  });
});

describe('backup codes', () => {
  test('a backup code, with or without hyphens, replaces a TOTP code once and returns 401 the second time', async () => {
    const { user, backupCodes } = await enrolled(tenant);
    const [first = '', second = ''] = backupCodes;
    const sessions = [await user.again(), await user.again(), await user.again()] as const;
    const used = await verifyCode(sessions[0], await challengeOf(sessions[0]), first);
    expect(used.body.data).toMatchObject({ verified: true, backup_codes_left: 9 });
    expect((await verifyCode(sessions[1], await challengeOf(sessions[1]), first)).status).toBe(401);
    expect((await verifyCode(sessions[2], await challengeOf(sessions[2]), second.replaceAll('-', ''))).status).toBe(200);
  });

  test('exactly one of four concurrent uses of a backup code succeeds, and the others return 401', async () => {
    const { user, backupCodes } = await enrolled(tenant);
    const sessions = await Promise.all(Array.from({ length: 4 }, () => user.again()));
    const challenges = await Promise.all(sessions.map(challengeOf));
    const responses = await Promise.all(
      sessions.map((session, index) => verifyCode(session, challenges[index] ?? '', backupCodes[0] ?? '')),
    );
    expect(responses.map(({ status }) => status).toSorted()).toEqual([200, 401, 401, 401]);
  });

  test('a backup code of another user returns 401', async () => {
    const [one, other] = [await enrolled(tenant), await enrolled(tenant)];
    expect((await verifyCode(one.user, await challengeOf(one.user), other.backupCodes[0] ?? '')).status).toBe(401);
  });

  test('creating new backup codes requires a second factor and makes the old backup codes invalid', async () => {
    const { user, secret, backupCodes } = await enrolled(tenant);
    const refused = await user.rest('POST', '/auth/mfa/backup-codes');
    expect(refused.body.error).toBe('mfa_required');
    await verifyCode(user, refused.body.challenge_id, await totp(secret));
    const made = await user.rest('POST', '/auth/mfa/backup-codes');
    expect(made.status).toBe(201);
    const codes: string[] = made.body.data.backup_codes;
    expect(codes).toHaveLength(10);
    const [one, other] = [await user.again(), await user.again()];
    expect((await verifyCode(one, await challengeOf(one), backupCodes[1] ?? '')).status).toBe(401);
    expect((await verifyCode(other, await challengeOf(other), codes[0] ?? '')).status).toBe(200);
  });
});

describe('lost TOTP secrets', () => {
  test('a TOTP secret that was never verified can be replaced without a code', async () => {
    const { user, secret: lost } = await enrolled(tenant);
    const again = await user.rest('POST', '/auth/mfa/totp/setup');
    expect(again.status).toBe(201);
    const challenge = await challengeOf(user);
    expect((await verifyCode(user, challenge, await totp(lost))).status).toBe(401);
    expect((await verifyCode(user, challenge, await totp(again.body.data.secret))).status).toBe(200);
  });

  test('replacing a verified TOTP secret returns mfa_required until a code or backup code is verified', async () => {
    const { user, backupCodes } = await confirmed(tenant);
    const refused = await user.rest('POST', '/auth/mfa/totp/setup');
    expect(refused.body.error).toBe('mfa_required');
    expect((await verifyCode(user, refused.body.challenge_id, backupCodes[0] ?? '')).status).toBe(200);
    const again = await user.rest('POST', '/auth/mfa/totp/setup');
    expect(again.status).toBe(201);
    const other = await user.again();
    expect((await other.rest('POST', '/auth/mfa/totp/setup')).body.error).toBe('mfa_required');
    expect((await verifyCode(other, await challengeOf(other), await totp(again.body.data.secret))).status).toBe(200);
  });
});

describe('audit of second factors', () => {
  test('the audit log records enrolment, failure, verification and removal of a second factor without secrets', async () => {
    const { user, secret, backupCodes } = await enrolled(tenant);
    const challenge = await challengeOf(user);
    const wrong = await wrongTotp(secret);
    await verifyCode(user, challenge, wrong);
    const code = await totp(secret);
    await verifyCode(user, challenge, code);
    const [method] = (await user.rest('GET', '/auth/mfa/methods')).body.data;
    expect(method).toMatchObject({ type: 'totp', user_id: user.id, destination: null, confirmed_at: expect.any(String) });
    expect((await user.rest('DELETE', `/auth/mfa/methods/${method.id}`)).body.data.id).toBe(method.id);

    const records: Json[] = await eventually(async () => {
      const { body } = await tenant.rest('GET', `/auth/audit?user_id=${user.id}&authentication_method=mfa`);
      return body.data.length === 4 && body.data;
    });
    expect(records.map((one) => one.event_type).toReversed()).toEqual(['mfa_enrolled', 'mfa_failed', 'mfa_verified', 'mfa_removed']);
    for (const one of records)
      expect(one).toMatchObject({ user_id: user.id, session_id: user.tokens.session_id, token_type: 'totp', ip_address: '127.0.0.1' });
    const { logged, mails } = await rig();
    const output = JSON.stringify([records, logged, mails, (await user.rest('GET', '/auth/mfa/methods')).body]);
    for (const text of [secret, ...backupCodes]) expect(output).not.toContain(text);
    expect(JSON.stringify([records, logged])).not.toMatch(new RegExp(`"[^"]*\\b(${wrong}|${code})\\b[^"]*"`));
    expect(mails.filter((mail) => mail.to === user.email).map(({ subject }) => subject)).toEqual(
      expect.arrayContaining(['A second factor was set up']),
    );
    expect((await protectedRequest(user)).status).toBe(200);
  });
});
