import { rig } from '../rig.ts';
import type { Json, RestResponse, Tenant } from '../tenant.ts';
import { openTicket } from '../ticket.setup.ts';

/** The required fields of a ticket. */
export const ticket = { title: 'Internet connection is down', description: 'No light since 9:30.' };

export const openAs = (caller: Tenant, body: object = {}): Promise<Json> => openTicket(caller, { ...ticket, ...body });

export const changeAs = (caller: Tenant, id: string, body: object): Promise<RestResponse> =>
  caller.rest('PUT', `/support/tickets/${id}`, { body });

/** Creates an organization. The returned functions `open` and `change` call the API as this organization by default. */
export async function ticketDesk() {
  const platform = await rig();
  const tenant = await platform.organization();
  return {
    platform,
    tenant,
    open: (body: object = {}, caller = tenant) => openAs(caller, body),
    change: (id: string, body: object, caller = tenant) => changeAs(caller, id, body),
  };
}

/** The status and code of an error response and the fields in its details. */
export const problems = ({ status, body }: RestResponse): [number, string, string[]] => [
  status,
  body.error?.code,
  (body.error?.details.errors ?? []).map(({ field }: { field: string }) => field),
];
