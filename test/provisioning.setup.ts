import { LOCATION } from './billing.setup.ts';
import { clock, eventually } from './rig.ts';
import type { Json, RestResponse, Tenant } from './tenant.ts';

const DAY_MS = 86_400_000;

/** A platform timestamp this many days from now. */
export const inDays = (days: number): string => new Date(clock.now().getTime() + days * DAY_MS).toISOString();

/** A provisioning request with the fields of the specification. It has no location, so it stays pending until it gets one. */
export const provisioningRequest = (more: object = {}): Json => ({
  service_template: 'business_fiber',
  customizations: { bandwidth: '1000mbps', redundancy: true, monitoring: true },
  contacts: { technical: 'noc@acme.example.com', billing: 'accounts@acme.example.com' },
  ...more,
});

/** A provisioning request that has everything that an order of its service needs. */
export const completeRequest = (accountId: string, more: object = {}): Json =>
  provisioningRequest({ account_id: accountId, location: LOCATION, ...more });

export const requestProvisioning = (tenant: Tenant, body: Json): Promise<RestResponse> =>
  tenant.rest('POST', '/services/provision', { body });

/** Creates a request and returns its record. */
export async function requested(tenant: Tenant, body: Json): Promise<Json> {
  const answer = await requestProvisioning(tenant, body);
  if (answer.status !== 201) throw new Error(JSON.stringify(answer.body));
  return answer.body.data;
}

export const readRequest = async (tenant: Tenant, id: string): Promise<Json> =>
  (await tenant.rest('GET', `/services/provision/${id}/status`)).body.data;

export const requestThatIs = (status: string, tenant: Tenant, id: string): Promise<Json> =>
  eventually(async () => {
    const record = await readRequest(tenant, id);
    return record.status === status && record;
  });

/** Returns the steps as text, such as `information completed, schedule skipped, …`. */
export const stepsIn = ({ steps }: Json): string => steps.map(({ name, status }: Json) => `${name} ${status}`).join(', ');

/** Returns the status history as text, such as `>pending>acknowledged`. */
export const storyOf = ({ history }: Json): string => history.map(({ to }: Json) => `>${to}`).join('');
