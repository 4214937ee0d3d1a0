import { createAccount, LOCATION } from './billing.setup.ts';
import { eventually, rig } from './rig.ts';
import type { Json, RestResponse, Tenant } from './tenant.ts';

export const internetOrder = (accountId: string, more: object = {}): Json => ({
  account_id: accountId,
  service_type: 'fiber',
  bandwidth: '1000mbps',
  location: LOCATION,
  sla: 'enterprise',
  billing_cycle: 'monthly',
  ...more,
});

/** A new organization on a plan without limits, because waiting sends many requests, and an account in it. */
export async function tenantWithAccount(): Promise<{ tenant: Tenant; accountId: string }> {
  const tenant = await (await rig()).organization({ plan: 'custom' });
  return { tenant, accountId: (await createAccount(tenant)).id };
}

export const placeOrder = (tenant: Tenant, accountId: string, more: object = {}): Promise<RestResponse> =>
  tenant.rest('POST', '/connectivity/internet', { body: internetOrder(accountId, more) });

/** Orders an internet service and waits until it has a status. */
export async function serviceThatIs(status: string, tenant: Tenant, accountId: string, more: object = {}): Promise<Json> {
  const { status: code, body } = await placeOrder(tenant, accountId, more);
  if (code !== 201) throw new Error(JSON.stringify(body));
  return eventually(async () => {
    const { data } = (await tenant.rest('GET', `/services/${body.data.id}`)).body;
    return data.status === status && data;
  });
}
