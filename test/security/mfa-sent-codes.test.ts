import { beforeEach, describe, expect, test } from 'vitest';
import { eventually, rig } from '../rig.ts';
import type { Json, Tenant } from '../tenant.ts';
import { userOf } from '../users.setup.ts';
import {
  challengeOf,
  codeSentTo,
  codesSentTo,
  confirmed,
  enrolled,
  freshNumber,
  newChallenge,
  protectedRequest,
  totp,
  verifyCode,
  withSms,
} from './mfa.setup.ts';

const MINUTE_MS = 60_000;

let tenant: Tenant;
beforeEach(async () => {
  tenant = await (await rig()).organization({ plan: 'custom' });
});

const wrong = (code: string): string => (code === '000000' ? '111111' : '000000');
const methods = async (caller: Tenant): Promise<Json[]> => (await caller.rest('GET', '/auth/mfa/methods')).body.data;

describe('codes by SMS', () => {
  test('SMS becomes a second factor when its first code is verified, and the response contains ten backup codes', async () => {
    const user = await userOf(tenant);
    const number = freshNumber();
    const written = `${number.slice(0, 5)} ${number.slice(5, 8)}-${number.slice(8)}`;
    const setup = await user.rest('POST', '/auth/mfa/sms/setup', { body: { phone: written } });
    expect(setup.status).toBe(201);
    expect(setup.body.data).toEqual({
      method: {
        id: expect.stringMatching(/^mfa_/),
        user_id: user.id,
        type: 'sms',
        created_at: expect.any(String),
        confirmed_at: null,
        last_used_at: null,
        destination: `+1********${number.slice(-2)}`,
      },
      challenge_id: expect.stringMatching(/^mfac_/),
      expires_at: expect.any(String),
    });
    expect((await protectedRequest(user)).status).toBe(200);

    const verified = await verifyCode(user, setup.body.data.challenge_id, await codeSentTo(number), 'sms');
    expect(verified.status, JSON.stringify(verified.body)).toBe(200);
    expect(verified.body.data).toMatchObject({ method: 'sms', backup_codes_left: 10 });
    expect(verified.body.data.backup_codes).toHaveLength(10);
    expect(await methods(user)).toMatchObject([{ type: 'sms', confirmed_at: expect.any(String) }]);
    expect((await protectedRequest(user)).status).toBe(200);
    const other = await user.again();
    expect((await protectedRequest(other)).body).toMatchObject({ error: 'mfa_required', methods: ['sms'] });
  });

  test("SMS setup uses the user's own phone number by default and returns 400 if the user has none", async () => {
    const number = freshNumber();
    const user = await userOf(tenant, 'member', number);
    expect((await user.rest('POST', '/auth/mfa/sms/setup', { body: {} })).status).toBe(201);
    await codeSentTo(number);
    const refused = await (await userOf(tenant)).rest('POST', '/auth/mfa/sms/setup', { body: {} });
    expect(refused.status).toBe(400);
    expect(refused.body.error.details.errors).toEqual([
      { field: 'phone', value: null, reason: 'is required, since the user has no phone number' },
    ]);
  });

  test.each(['12125550100', '+0 212 555 0100', 'call me', ''])('SMS setup with the phone number %j returns 400', async (phone) => {
    const { status, body } = await (await userOf(tenant)).rest('POST', '/auth/mfa/sms/setup', { body: { phone } });
    expect(status).toBe(400);
    expect(body.error.details.field).toBe('phone');
  });

  test('an SMS to a number that the provider rejects is dropped, and neither the number nor the code is logged', async () => {
    const { logged } = await rig();
    const user = await userOf(tenant);
    expect((await user.rest('POST', '/auth/mfa/sms/setup', { body: { phone: '+15005550001' } })).status).toBe(201);
    const line = await eventually(() => logged.find((one) => one.includes('there is no such number')));
    expect(line).toContain('A message cannot be delivered and is dropped');
    expect(line).not.toMatch(/5005550001|is your code/);
  });

  test('a second-factor challenge sends only one SMS code automatically, even if concurrent requests get this challenge', async () => {
    const { user, number } = await withSms(tenant);
    const ids = await Promise.all(Array.from({ length: 6 }, () => challengeOf(user)));
    expect(new Set(ids).size).toBe(1);
    const code = await codeSentTo(number, 2);
    expect((await verifyCode(user, ids[0] ?? '', code, 'sms')).status).toBe(200);
    expect(await codesSentTo(number)).toHaveLength(2);
    expect((await protectedRequest(user)).status).toBe(200);
  });

  test('an SMS code verifies only its own challenge and only once, and a code older than ten minutes returns 409', async () => {
    const { advance } = await rig();
    const { user, number } = await withSms(tenant);
    const other = await user.again();
    const challenge = await challengeOf(user);
    const code = await codeSentTo(number, 2);
    const foreign = await challengeOf(other);
    const otherCode = await codeSentTo(number, 3);
    if (otherCode !== code) expect((await verifyCode(other, foreign, code, 'sms')).status).toBe(401);
    expect((await verifyCode(other, challenge, code, 'sms')).status).toBe(404);
    expect((await verifyCode(user, challenge, code, 'sms')).status).toBe(200);
    expect((await verifyCode(user, challenge, code, 'sms')).status).toBe(409);
    await advance(10 * MINUTE_MS + 1000);
    const late = await verifyCode(other, foreign, otherCode, 'sms');
    expect(late.status).toBe(409);
    expect(late.body.error.details).toMatchObject({ from: 'expired' });
  });

  test('resending an SMS code makes the previous code invalid', async () => {
    const { user, number } = await withSms(tenant);
    const challenge = await challengeOf(user);
    const first = await codeSentTo(number, 2);
    const sent = await user.rest('POST', `/auth/mfa/challenges/${challenge}/send`, { body: { method: 'sms' } });
    expect(sent.status).toBe(200);
    expect(sent.body.data).toEqual({
      challenge_id: challenge,
      methods: ['sms'],
      code_sent_to: `+1********${number.slice(-2)}`,
      expires_at: expect.any(String),
    });
    const second = await codeSentTo(number, 3);
    if (first !== second) expect((await verifyCode(user, challenge, first, 'sms')).status).toBe(401);
    expect((await verifyCode(user, challenge, second, 'sms')).status).toBe(200);
  });

  test('a second-factor challenge returns 409 for the correct SMS code after five wrong codes', async () => {
    const { user, number } = await withSms(tenant);
    const challenge = await challengeOf(user);
    const code = await codeSentTo(number, 2);
    for (let guess = 0; guess < 5; guess += 1) expect((await verifyCode(user, challenge, wrong(code), 'sms')).status).toBe(401);
    expect((await verifyCode(user, challenge, code, 'sms')).status).toBe(409);
  });

  test('a user receives at most six SMS codes per hour, and sending another code returns 429', async () => {
    const { user, number } = await withSms(tenant);
    const challenge = await challengeOf(user);
    const send = () => user.rest('POST', `/auth/mfa/challenges/${challenge}/send`, { body: { method: 'sms' } });
    const responses = await Promise.all(Array.from({ length: 8 }, send));
    expect(responses.map(({ status }) => status).toSorted()).toEqual([200, 200, 200, 200, 429, 429, 429, 429]);
    expect(responses.find(({ status }) => status === 429)?.body.error.details).toMatchObject({ window: 'mfa_sends', limit: 6 });
    const other = await user.again();
    expect((await protectedRequest(other)).body).toMatchObject({ error: 'mfa_required', methods: ['sms'] });
    expect(await eventually(async () => (await codesSentTo(number)).length >= 6)).toBe(true);
    expect(await codesSentTo(number)).toHaveLength(6);
  });

  test('SMS setup returns 429 after six codes per hour for one phone number, counted over all users', async () => {
    const number = freshNumber();
    const statuses: number[] = [];
    for (let index = 0; index < 7; index += 1) {
      const user = await userOf(tenant);
      statuses.push((await user.rest('POST', '/auth/mfa/sms/setup', { body: { phone: number } })).status);
      expect(await methods(user)).toHaveLength(statuses.at(-1) === 201 ? 1 : 0);
    }
    expect(statuses).toEqual([201, 201, 201, 201, 201, 201, 429]);
  });

  test('a new phone number replaces the old number only after the code sent to the new number was verified', async () => {
    const { user, number: old } = await withSms(tenant);
    expect((await user.rest('POST', '/auth/mfa/sms/setup', { body: { phone: freshNumber() } })).body.error).toBe('mfa_required');
    const challenge = await challengeOf(user);
    expect((await verifyCode(user, challenge, await codeSentTo(old, 2), 'sms')).status).toBe(200);
    const next = freshNumber();
    const setup = await user.rest('POST', '/auth/mfa/sms/setup', { body: { phone: next } });
    expect((await methods(user)).map(({ destination }) => destination.slice(-2))).toEqual([old.slice(-2), next.slice(-2)]);
    const verified = await verifyCode(user, setup.body.data.challenge_id, await codeSentTo(next), 'sms');
    expect(verified.body.data).toMatchObject({ verified: true, backup_codes: null });
    expect((await methods(user)).map(({ destination }) => destination.slice(-2))).toEqual([next.slice(-2)]);
  });

  test('verifying a new phone number with a backup code returns 401', async () => {
    const { user, backupCodes } = await confirmed(tenant);
    await verifyCode(user, await challengeOf(user), backupCodes[0] ?? '');
    const setup = await user.rest('POST', '/auth/mfa/sms/setup', { body: { phone: freshNumber() } });
    expect((await verifyCode(user, setup.body.data.challenge_id, backupCodes[1] ?? '', 'sms')).status).toBe(401);
    expect(await methods(user)).toMatchObject([{ type: 'totp' }, { type: 'sms', confirmed_at: null }]);
  });
});

describe('codes by email', () => {
  test('a second-factor code by email verifies a challenge, and the subject of the email does not contain the code', async () => {
    const user = await userOf(tenant, 'member');
    const setup = await user.rest('POST', '/auth/mfa/email/setup');
    expect(setup.status).toBe(201);
    expect(setup.body.data.method).toMatchObject({ type: 'email', destination: `${user.email[0]}***@example.com` });
    expect((await verifyCode(user, setup.body.data.challenge_id, await codeSentTo(user.email), 'email')).status).toBe(200);
    const other = await user.again();
    const challenge = await newChallenge(other);
    expect((await other.rest('POST', `/auth/mfa/challenges/${challenge}/send`, { body: { method: 'email' } })).status).toBe(200);
    expect((await verifyCode(other, challenge, await codeSentTo(user.email, 2), 'email')).status).toBe(200);
    const { mails } = await rig();
    const codes = await codesSentTo(user.email);
    for (const { subject } of mails.filter(({ to }) => to === user.email)) for (const code of codes) expect(subject).not.toContain(code);
  });
});

describe('several second factors', () => {
  test('a second-factor challenge for a user with TOTP and SMS lists totp first and sends no SMS automatically', async () => {
    const { user, number } = await withSms(tenant);
    expect((await verifyCode(user, await challengeOf(user), await codeSentTo(number, 2), 'sms')).status).toBe(200);
    const setup = await user.rest('POST', '/auth/mfa/totp/setup');
    const other = await user.again();
    const refused = await protectedRequest(other);
    expect(refused.body.methods).toEqual(['totp', 'sms']);
    expect(await codesSentTo(number)).toHaveLength(2);
    expect((await verifyCode(other, refused.body.challenge_id, await totp(setup.body.data.secret))).status).toBe(200);
  });

  test('verifying a challenge by a method that is not enrolled returns 400 and lists the enrolled methods', async () => {
    const { user } = await enrolled(tenant);
    const challenge = await challengeOf(user);
    const refused = await verifyCode(user, challenge, '123456', 'sms');
    expect(refused.status).toBe(400);
    expect(refused.body.error.details).toMatchObject({ field: 'method', reason: 'must be totp' });
    for (const method of ['sms', 'totp']) {
      const send = await user.rest('POST', `/auth/mfa/challenges/${challenge}/send`, { body: { method } });
      expect(send.status).toBe(400);
      expect(send.body.error.details.field).toBe('method');
    }
    expect((await verifyCode(user, challenge, '123456', 'fax')).status).toBe(400);
  });
});

test('neither a phone number nor a code appears in logs or in the audit log', async () => {
  const { user, number } = await withSms(tenant);
  await challengeOf(user);
  const code = await codeSentTo(number, 2);
  const { logged } = await rig();
  const audit = await tenant.rest('GET', `/auth/audit?user_id=${user.id}`);
  const output = [...logged, JSON.stringify(audit.body)].join('\n');
  expect(output).not.toContain(number);
  expect(output).not.toMatch(new RegExp(`\\b${code} is your code`));
});
