import { challengeOf, enrolled, freshNumber, lifted, totp, withSms } from '../security/mfa.setup.ts';
import { type Json, Tenant } from '../tenant.ts';
import { invited, login, PASSWORD, tokenMailedTo, userOf } from '../users.setup.ts';
import { arranged } from './record-kinds.ts';
import { Records } from './records.ts';

export interface Call {
  caller: Tenant;
  body?: Json;
  /** Ids for path parameters, by name, of records that only this caller can use. */
  ids?: Readonly<Record<string, string>>;
}

/**
 * Callers and bodies for operations that succeed only with a certain user, or with input that was issued before. All other
 * operations are called with an API key of the organization and their example.
 */
export const callers: Readonly<Record<string, (tenant: Tenant) => Promise<Call>>> = {
  async loginUser(tenant) {
    const { email } = await userOf(tenant);
    return { caller: anybody(tenant), body: { email, password: PASSWORD } };
  },
  async refreshSession(tenant) {
    const { email } = await userOf(tenant);
    return { caller: anybody(tenant), body: { refresh_token: (await login(tenant, email)).body.data.refresh_token } };
  },
  logoutUser: async (tenant) => ({ caller: await userOf(tenant) }),
  async choosePassword(tenant) {
    const { email } = await invited(tenant);
    return { caller: anybody(tenant), body: { token: await tokenMailedTo(email), password: PASSWORD } };
  },
  changePassword: async (tenant) => ({
    caller: await userOf(tenant),
    body: { current_password: PASSWORD, new_password: `${PASSWORD} staple` },
  }),
  setupTotp: async (tenant) => ({ caller: await userOf(tenant) }),
  setupSms: async (tenant) => ({ caller: await userOf(tenant), body: { phone: freshNumber() } }),
  setupEmail: async (tenant) => ({ caller: await userOf(tenant) }),
  createMfaChallenge: async (tenant) => ({ caller: await userOf(tenant) }),
  async sendMfaCode(tenant) {
    const { user } = await withSms(tenant);
    return { caller: user, body: { method: 'sms' }, ids: { challenge_id: await challengeOf(user) } };
  },
  async verifyMfaChallenge(tenant) {
    const { user, secret } = await enrolled(tenant);
    return { caller: user, body: { challenge_id: await challengeOf(user), method: 'totp', code: await totp(secret) } };
  },
  async deleteMfaMethod(tenant) {
    const { user } = await lifted(tenant);
    const { body } = await user.rest('GET', '/auth/mfa/methods');
    return { caller: user, ids: { method_id: body.data[0].id } };
  },
  getWebhookDelivery: deliveredOnce,
  redeliverWebhookDelivery: deliveredOnce,
  async resumeWebhook(tenant) {
    const own = new Records(tenant, 'Inactive');
    await arranged.resumeWebhook?.(own);
    return { caller: tenant, ids: { webhook_id: await own.id('webhook_id') } };
  },
  createBackupCodes: async (tenant) => ({ caller: (await lifted(tenant)).user }),
};

/** Returns a delivery and its own webhook, because both ids are in one path. */
async function deliveredOnce(tenant: Tenant): Promise<Call> {
  const own = new Records(tenant, 'Delivered');
  return { caller: tenant, ids: { webhook_id: await own.id('webhook_id'), delivery_id: await own.id('delivery_id') } };
}

/** A caller without credentials. */
export const anybody = ({ origin }: Tenant): Tenant => new Tenant(origin, '', '');
