import { type Json, type RestResponse, Tenant } from '../tenant.ts';

export const searchTickets = (tenant: Tenant, body: object): Promise<RestResponse> =>
  tenant.rest('POST', '/support/tickets/search', { body });
export const idsOf = ({ body }: RestResponse): string[] => body.tickets.map(({ id }: Json) => id);

/** An API key, and a function that tells which tickets it can read. */
export interface Caller {
  tenant: Tenant;
  sees: (ticket: Json) => boolean;
}

/** An API key for all tickets, and three keys that are limited to accounts. */
export async function callersOf(tenant: Tenant, accounts: readonly Json[]): Promise<Caller[]> {
  const limited = [accounts.slice(0, 1), accounts.slice(1), accounts].map(async (some): Promise<Caller> => {
    const body = { name: 'Limited', permissions: ['support:read'], accounts: some.map(({ id }) => id) };
    const { api_key: made } = (await tenant.rest('POST', '/auth/api-keys', { body })).body;
    const customers = some.map(({ customer_id }) => customer_id);
    return {
      tenant: new Tenant(tenant.origin, tenant.organizationId, made.key),
      sees: ({ customer_id }) => customers.includes(customer_id),
    };
  });
  return [{ tenant, sees: () => true }, ...(await Promise.all(limited))];
}

export const openAccounts = async (tenant: Tenant, ...names: string[]): Promise<Json[]> =>
  Promise.all(names.map(async (name) => (await tenant.rest('POST', '/accounts', { body: { name, email: 'it@acme.example' } })).body.data));
