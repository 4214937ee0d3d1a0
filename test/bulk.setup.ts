import { LOCATION } from './billing.setup.ts';
import { eventually } from './rig.ts';
import type { Json, RestResponse, Tenant } from './tenant.ts';

/** Returns an item of a bulk: the order of a fiber line. */
export const lineItem = (more: object = {}): Json => ({
  template: 'business_fiber',
  location: LOCATION,
  customizations: { bandwidth: '500mbps' },
  ...more,
});
/** Returns an item of a bulk with this address. The simulated provider refuses some addresses. */
export const lineAt = (address: string): Json => lineItem({ location: { ...LOCATION, address } });

export const provisionInBulk = (tenant: Tenant, services: Json[], orchestration?: object): Promise<RestResponse> =>
  tenant.rest('POST', '/services/bulk/provision', { body: { services, ...(orchestration && { orchestration }) } });

export const modifyInBulk = (tenant: Tenant, body: object): Promise<RestResponse> => tenant.rest('POST', '/services/bulk/modify', { body });

/** Returns a bulk with the states of its items. */
export async function bulkOf(tenant: Tenant, id: string): Promise<{ bulk: Json; services: Json[] }> {
  const { status, body } = await tenant.rest('POST', '/services/bulk/status', { body: { bulk_id: id } });
  if (status !== 200) throw new Error(JSON.stringify(body));
  return body.data;
}

/** Waits until a bulk has the given status, and returns the bulk and the states of its items. */
export const bulkThatIs = (status: string, tenant: Tenant, id: string): Promise<{ bulk: Json; services: Json[] }> =>
  eventually(async () => {
    const found = await bulkOf(tenant, id);
    return found.bulk.status === status && found;
  });

/** Returns the `data` of the events with this name, oldest first. If `subjects` is not empty, only events of these subjects. */
export async function eventsOf(tenant: Tenant, name: string, subjects: readonly string[] = []): Promise<Json[]> {
  const query = 'query ($name: String!) { events(filter: { event: [$name] }, page: { limit: 200 }) { nodes { subjectId payload } } }';
  const { data } = await tenant.graphql(query, { name });
  const nodes = data.events.nodes.filter(({ subjectId }: Json) => subjects.length === 0 || subjects.includes(subjectId));
  return nodes.map(({ payload }: Json) => JSON.parse(payload).data).reverse();
}
