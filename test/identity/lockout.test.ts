import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newId } from '../../kernel/records/ids.ts';
import { eventually, type Rig, start } from '../rig.ts';
import { newChallenge, totp, verifyCode, wrongTotp } from '../security/mfa.setup.ts';
import { DUE_IDENTITY_JOBS } from '../support/identity-jobs.ts';
import { ownDatabase } from '../support/own-database.ts';
import type { RestResponse, Tenant } from '../tenant.ts';
import { PASSWORD, TestUser } from '../users.setup.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const HOME = '2001:db8:aa:1::7';

let platform: Rig;
/** A second process on the same database, or `platform` itself if the tests run without PostgreSQL. */
let other: Rig;
let tenant: Tenant;
beforeAll(async () => {
  const settings = { TRUSTED_PROXIES: '127.0.0.0/8,::1', DATABASE_URL: await ownDatabase() };
  platform = await start(settings);
  other = settings.DATABASE_URL ? await start(settings) : platform;
  tenant = await platform.organization({ plan: 'custom' });
});
afterAll(async () => {
  if (other !== platform) await other.close();
  await platform.close();
});

const from = (ip: string) => ({ authorization: '', 'x-forwarded-for': ip });
const login = (email: string, ip: string, password = PASSWORD, at = platform): Promise<RestResponse> =>
  fetch(`${at.origin}/v1/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...from(ip) },
    body: JSON.stringify({ email, password }),
  }).then(async (response) => ({ status: response.status, headers: response.headers, body: await response.json() }));
const askForReset = async (email: string, ip: string): Promise<number> =>
  (await tenant.rest('POST', '/auth/password/reset', { body: { email }, headers: from(ip) })).status;

/** The number of addresses that `stranger` has returned. */
let strangers = 0;
const stranger = (): string => {
  strangers += 1;
  return `2001:db8:${(0x1000 + strangers).toString(16)}:1::1`;
};

/** The tokens in all emails that the two processes have sent to this address. */
const mailedLinks = (email: string): string[] =>
  [...new Set([...platform.mails, ...other.mails])]
    .filter(({ to }) => to === email)
    .flatMap(({ text }) => /token=([\w-]+)/.exec(text)?.[1] ?? []);

const rowsOf = <R>(sql: string, values: unknown[] = []): Promise<R[]> =>
  platform.assembly.domains.identity.core.ports.rows.query(sql, values) as Promise<R[]>;

/** Waits until every requested reset is processed and every mail is sent. */
const mailsAreSettled = (): Promise<unknown> => eventually(async () => (await rowsOf(DUE_IDENTITY_JOBS)).length === 0);

/** Creates a user who set a password at `ip` and has not logged in yet. */
async function member(ip: string): Promise<{ email: string; id: string }> {
  const account = (await tenant.rest('POST', '/accounts', { body: { name: 'Acme', email: 'it@acme.example.com' } })).body.data;
  const email = `${newId('user').toLowerCase()}@example.com`;
  const invited = await tenant.rest('POST', `/accounts/${account.id}/users`, { body: { email, name: 'Test User', role: 'owner' } });
  const token = await eventually(() => mailedLinks(email)[0]);
  const chosen = await tenant.rest('POST', '/auth/password', { body: { token, password: PASSWORD }, headers: from(ip) });
  expect(chosen.status).toBe(200);
  return { email, id: invited.body.data.id };
}

/** Sends wrong passwords from many addresses until logins from new addresses return 429. */
async function lockOut(email: string): Promise<void> {
  for (let guess = 0; guess < 50; guess += 1) expect((await login(email, stranger(), 'wrong')).status).toBe(401);
  expect((await login(email, stranger())).status).toBe(429);
}

describe('counting login attempts', () => {
  test('a login returns 429 after five failed logins from different IP addresses of the same IPv6 /64', async () => {
    const { email } = await member(HOME);
    for (let host = 1; host <= 5; host += 1) expect((await login(email, `2001:db8:bb:1::${host}`, 'wrong')).status).toBe(401);
    expect((await login(email, '2001:db8:bb:1:ffff::99')).status).toBe(429);
    expect((await login(email, '2001:db8:bb:2::1')).status).toBe(200);
  });

  test('a login returns 429 after five failed logins from an IPv4 address and its IPv6-mapped forms', async () => {
    const { email } = await member(HOME);
    for (const ip of ['198.51.100.9', '::ffff:198.51.100.9', '::ffff:c633:6409', '198.51.100.9', '::FFFF:198.51.100.9'])
      expect((await login(email, ip, 'wrong')).status).toBe(401);
    expect((await login(email, '198.51.100.9')).status).toBe(429);
    expect((await login(email, '198.51.100.10')).status).toBe(200);
  });
});

describe('lockouts caused by others', () => {
  test('a locked-out user can log in from a network used before, but gets 429 from other networks', async () => {
    const { email } = await member(HOME);
    await lockOut(email);
    expect((await login(email, HOME)).status).toBe(200);
    expect((await login(email, '2001:db8:aa:1:9::1', PASSWORD, other)).status).toBe(200);
    expect((await login(email, stranger())).status, 'the sign-in of the user gave strangers no further guesses').toBe(429);
  });

  test('a locked-out user can log in from a new network after resetting the password by email', async () => {
    const { email } = await member(HOME);
    const hotel = stranger();
    await lockOut(email);
    expect((await login(email, hotel)).status).toBe(429);
    const invitation = mailedLinks(email);
    expect(await askForReset(email, hotel)).toBe(202);
    const token = await eventually(() => mailedLinks(email).find((link) => !invitation.includes(link)));
    const password = 'another horse battery';
    expect((await tenant.rest('POST', '/auth/password', { body: { token, password }, headers: from(hotel) })).status).toBe(200);
    expect((await login(email, hotel, password)).status).toBe(200);
  });

  test('a locked-out user with a session can change the password', async () => {
    const { email } = await member(HOME);
    const { body } = await login(email, HOME);
    await lockOut(email);
    const response = await fetch(`${platform.origin}/v1/auth/password/change`, {
      method: 'POST',
      headers: { ...from(stranger()), authorization: `Bearer ${body.data.access_token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ current_password: PASSWORD, new_password: 'another horse battery' }),
    });
    expect(response.status).toBe(200);
  });

  test('a locked-out user gets 429 from a network whose last login was more than 90 days ago', async () => {
    const { email } = await member(HOME);
    await platform.advance(90 * DAY_MS + 1000);
    await lockOut(email);
    expect((await login(email, HOME)).status).toBe(429);
  });

  test('a locked-out user can log in only from the twenty networks of the latest logins', async () => {
    const { email } = await member(HOME);
    for (let place = 0; place < 20; place += 1) {
      platform.clock.advance(1000);
      expect((await login(email, `203.0.113.${place}`)).status).toBe(200);
    }
    await lockOut(email);
    expect((await login(email, HOME)).status).toBe(429);
    expect((await login(email, '203.0.113.0')).status).toBe(200);
  });
});

test('a user can verify codes from a network used before, while other networks get 429 after fifteen wrong codes', async () => {
  const { email } = await member(HOME);
  const at = async (ip: string) => {
    const { body } = await login(email, ip);
    const user = new TestUser(platform.origin, tenant.organizationId, body.data, {}, email);
    const rest = user.rest.bind(user);
    user.rest = (method, path, options = {}) => rest(method, path, { ...options, headers: { ...options.headers, 'x-forwarded-for': ip } });
    return user;
  };
  const user = await at(HOME);
  const { secret } = (await user.rest('POST', '/auth/mfa/totp/setup')).body.data;
  expect((await verifyCode(user, await newChallenge(user), await totp(secret))).status).toBe(200);

  for (let guess = 0; guess < 15; guess += 5) {
    const thief = await at(stranger());
    const challenge = await newChallenge(thief);
    for (let code = 0; code < 5; code += 1) expect((await verifyCode(thief, challenge, await wrongTotp(secret))).status).toBe(401);
  }
  const thief = await at(stranger());
  expect((await verifyCode(thief, await newChallenge(thief), await totp(secret))).status).toBe(429);
  platform.clock.advance(60_000);
  const again = await at(HOME);
  expect((await verifyCode(again, await newChallenge(again), await totp(secret))).status).toBe(200);
});

test('at most six password reset emails per hour are sent to an email address, and each request returns 202', async () => {
  const { email } = await member(HOME);
  await platform.advance(HOUR_MS);
  const before = mailedLinks(email).length;
  for (let ask = 0; ask < 12; ask += 1) expect(await askForReset(email, stranger())).toBe(202);
  await mailsAreSettled();
  expect(mailedLinks(email)).toHaveLength(before + 6);

  await platform.advance(HOUR_MS + 1000);
  expect(await askForReset(email, stranger())).toBe(202);
  await mailsAreSettled();
  expect(mailedLinks(email)).toHaveLength(before + 7);
});

test('the networks from which a user logged in are not stored as plain text', async () => {
  const { id } = await member('203.0.113.77');
  const rows = await platform.assembly.domains.identity.core.ports.rows.query('select * from identity.known_place where user_id = $1', [
    id,
  ]);
  expect(rows).toHaveLength(1);
  expect(JSON.stringify(rows)).not.toContain('203.0.113.77');
});
