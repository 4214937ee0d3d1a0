import { generateSync } from 'otplib';
import { expect } from 'vitest';
import { createAccount, LOCATION } from '../billing.setup.ts';
import { eventually, rig } from '../rig.ts';
import type { Json, RestResponse, Tenant } from '../tenant.ts';
import { type TestUser, userOf } from '../users.setup.ts';

export const STEP_MS = 30_000;

/** The TOTP code for this secret at the platform's time, or some 30-second steps later. */
export async function totp(secret: string, stepsLater = 0): Promise<string> {
  const { clock } = await rig();
  return generateSync({ secret, epoch: Math.floor((clock.now().getTime() + stepsLater * STEP_MS) / 1000) });
}

/** A code that differs from the codes of the previous, the current and the next two 30-second steps. */
export async function wrongTotp(secret: string): Promise<string> {
  const right = await Promise.all([-1, 0, 1, 2].map((step) => totp(secret, step)));
  return ['000000', '111111', '222222', '333333', '444444'].find((code) => !right.includes(code)) ?? '';
}

export interface Enrolled {
  user: TestUser;
  secret: string;
  backupCodes: string[];
}

/** Creates a user who has set up an authenticator and not used it yet. */
export async function enrolled(tenant: Tenant, role = 'owner'): Promise<Enrolled> {
  const user = await userOf(tenant, role);
  const { status, body } = await user.rest('POST', '/auth/mfa/totp/setup');
  expect(status, JSON.stringify(body)).toBe(201);
  return { user, secret: body.data.secret, backupCodes: body.data.backup_codes };
}

/**
 * Creates a user who confirmed the authenticator in another session. The session of the returned user is not verified
 * yet.
 */
export async function confirmed(tenant: Tenant, role = 'owner'): Promise<Enrolled> {
  const made = await enrolled(tenant, role);
  const other = await made.user.again();
  expect((await verifyCode(other, await newChallenge(other), await totp(made.secret))).status).toBe(200);
  await (await rig()).advance(2 * STEP_MS);
  return made;
}

/** Creates a user with a confirmed authenticator, whose session was just verified. */
export async function lifted(tenant: Tenant, role = 'owner'): Promise<Enrolled> {
  const made = await enrolled(tenant, role);
  expect((await verifyCode(made.user, await newChallenge(made.user), await totp(made.secret))).status).toBe(200);
  return made;
}

/** The body of a service order. Ordering a service requires a second factor. */
export const orderOf = async (tenant: Tenant): Promise<Json> => ({
  account_id: (await createAccount(tenant)).id,
  service_type: 'fiber',
  bandwidth: '500mbps',
  location: LOCATION,
});

export const order = (caller: Tenant, body: Json, headers: Record<string, string> = {}): Promise<RestResponse> =>
  caller.rest('POST', '/connectivity/internet', { body, headers });

/** Sends a request that requires a second factor and returns the id of the challenge. */
export async function challengeOf(caller: Tenant): Promise<string> {
  const { status, body } = await protectedRequest(caller);
  expect(status, JSON.stringify(body)).toBe(403);
  expect(body.error).toBe('mfa_required');
  return body.challenge_id;
}

/** Creates a challenge directly, also for users who lack the permission for protected requests. */
export async function newChallenge(caller: Tenant): Promise<string> {
  return (await caller.rest('POST', '/auth/mfa/challenges')).body.data.challenge_id;
}

/** A request that requires a second factor but changes nothing. */
export const protectedRequest = (caller: Tenant): Promise<RestResponse> => caller.rest('PUT', '/organization', { body: {} });

export const verifyCode = (caller: Tenant, challengeId: string, code: string, method = 'totp'): Promise<RestResponse> =>
  caller.rest('POST', '/auth/mfa/verify', { body: { challenge_id: challengeId, method, code } });

const CODE = /^(\d{6}) is your code/;

/** The codes sent to a phone number or email address so far. */
export async function codesSentTo(to: string): Promise<string[]> {
  const { messages, mails } = await rig();
  return [...messages, ...mails].filter((one) => one.to === to).flatMap(({ text }) => CODE.exec(text)?.[1] ?? []);
}

/** Waits until `count` codes were sent to this phone number or email address and returns the last code. */
export const codeSentTo = (to: string, count = 1): Promise<string> =>
  eventually(async () => {
    const codes = await codesSentTo(to);
    return codes.length >= count && codes.at(-1);
  });

/** A random phone number, so that tests do not use the same one. */
export const freshNumber = (): string => `+1212${String(Math.floor(Math.random() * 1e7)).padStart(7, '0')}`;

/**
 * Creates a user whose only second factor is SMS, enrolled in another session. The session of the returned user is not
 * verified yet.
 */
export async function withSms(tenant: Tenant): Promise<{ user: TestUser; number: string }> {
  const user = await userOf(tenant);
  const other = await user.again();
  const number = freshNumber();
  const { status, body } = await other.rest('POST', '/auth/mfa/sms/setup', { body: { phone: number } });
  expect(status, JSON.stringify(body)).toBe(201);
  expect((await verifyCode(other, body.data.challenge_id, await codeSentTo(number), 'sms')).status).toBe(200);
  return { user, number };
}
