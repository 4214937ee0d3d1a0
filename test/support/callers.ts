import { eventually } from '../rig.ts';
import { challengeOf, enrolled, freshNumber, lifted, totp, withSms } from '../security/mfa.setup.ts';
import { minutesPass } from '../services.setup.ts';
import { type Json, Tenant } from '../tenant.ts';
import { invited, login, PASSWORD, tokenMailedTo, userOf } from '../users.setup.ts';
import { arranged } from './record-kinds.ts';
import { Records } from './records.ts';

export interface Call {
  caller: Tenant;
  body?: Json;
  /** Ids of records that were created for this call, by the name of the path parameter. */
  ids?: Readonly<Record<string, string>>;
}

/**
 * Callers, bodies and ids by operationId, for operations that succeed only with a certain user, or with input or records
 * that must be created first, such as a token. All other operations can be called with an API key.
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
  getServiceStatus: measuredService,
  getServiceMetrics: measuredService,
  getServiceHealth: measuredService,
  getServiceAnalytics: measuredService,
  async getServicesAnalyticsSummary(tenant) {
    return { caller: (await measuredService(tenant)).caller };
  },
  getWebhookDelivery: deliveredOnce,
  redeliverWebhookDelivery: deliveredOnce,
  async resumeWebhook(tenant) {
    const own = new Records(tenant, 'Inactive');
    await arranged.resumeWebhook?.(own);
    return { caller: tenant, ids: { webhook_id: await own.id('webhook_id') } };
  },
  createBackupCodes: async (tenant) => ({ caller: (await lifted(tenant)).user }),
  // lists that would be empty otherwise
  listSessions: async (tenant) => ({ caller: await userOf(tenant) }),
  listMfaMethods: async (tenant) => ({ caller: (await lifted(tenant)).user }),
  async listAccountUsers(tenant) {
    const own = new Records(tenant, 'Grace Hopper');
    await own.id('user_id');
    return { caller: tenant, ids: { account_id: await own.id('account_id') } };
  },
  listWebhookDeliveries: deliveredOnce,
  listSlackIntegrationDeliveries: (tenant) => integrated(tenant, 'slack', { events: ['ticket.created'] }),
  listJiraIntegrationDeliveries: (tenant) => integrated(tenant, 'jira', { sync_settings: { create_jira_issues: true } }),
};

/** Prepares a call for an integration that has the delivery of a ticket. */
async function integrated(tenant: Tenant, kind: 'slack' | 'jira', settings: object): Promise<Call> {
  const own = new Records(tenant, 'Integrated');
  const id = await own.id(`${kind}_integration_id`);
  const path = `/support/integrations/${kind}/${id}`;
  await tenant.rest('PUT', path, { body: settings });
  await own.create('/support/tickets', { title: own.label, description: own.label });
  await eventually(async () => (await tenant.rest('GET', `${path}/deliveries`)).body.data.length > 0);
  // later tickets of other tests do not change it any more
  await tenant.rest('PUT', path, { body: { active: false } });
  return { caller: tenant, ids: { [`${kind}_integration_id`]: id } };
}

/** Prepares a call for a service that has measurements. */
async function measuredService(tenant: Tenant): Promise<Call> {
  const id = await new Records(tenant, 'Measured').id('service_id');
  await minutesPass(3, tenant, id);
  return { caller: tenant, ids: { service_id: id } };
}

/** Prepares a call for a delivery and its webhook. Both are created together, because the path contains both ids. */
async function deliveredOnce(tenant: Tenant): Promise<Call> {
  const own = new Records(tenant, 'Delivered');
  return { caller: tenant, ids: { webhook_id: await own.id('webhook_id'), delivery_id: await own.id('delivery_id') } };
}

/** A caller without credentials. */
export const anybody = ({ origin }: Tenant): Tenant => new Tenant(origin, '', '');
