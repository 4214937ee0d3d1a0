import { parse } from 'graphql';
import type { Graph } from '../../../kernel/graph.ts';
import { PAGE_SIZE_MAX } from '../../../kernel/graphql/page.ts';
import type { RequestContext } from '../../../kernel/request.ts';
import { CUSTOMER_FIELDS, type Customer, customerOf, type FoundAccount } from '../customers/customer.ts';

const BILLED = parse(`query BilledServices($accounts: [ID!]!, $services: [ID!]!) {
  accounts(filter: { id: $accounts, own: null }, page: { limit: ${PAGE_SIZE_MAX} }) { nodes { ${CUSTOMER_FIELDS} } }
  services(filter: { id: $services }, page: { limit: ${PAGE_SIZE_MAX} }) { nodes { id catalogService { category } } }
  organization { name }
}`);

interface Found {
  accounts: { nodes: FoundAccount[] };
  services: { nodes: { id: string; catalogService: { category: string } }[] };
  organization: { name: string };
}

/** Category of a service that is not in the catalog. */
const UNKNOWN = 'other';

export interface Billed {
  /** Customers by account id. Accounts that the organization does not have are left out. */
  customers: ReadonlyMap<string, Customer>;
  categoryOf(serviceId: string): string;
}

/**
 * Reads accounts, and the categories of services, with one query as the platform: at most `PAGE_SIZE_MAX` of each. Do not call it inside a
 * transaction.
 */
export async function findBilled(
  graph: Graph,
  request: RequestContext,
  { accountIds, serviceIds }: { accountIds: readonly string[]; serviceIds: readonly string[] },
): Promise<Billed> {
  const ids = { accounts: [...new Set(accountIds)], services: [...new Set(serviceIds)] };
  const { accounts, services, organization } = await graph.query<Found>(BILLED, ids, request);
  const categories = new Map(services.nodes.map(({ id, catalogService }) => [id, catalogService.category]));
  return {
    customers: new Map(accounts.nodes.map((account) => [account.id, customerOf(account, organization.name)])),
    categoryOf: (serviceId) => categories.get(serviceId) ?? UNKNOWN,
  };
}
