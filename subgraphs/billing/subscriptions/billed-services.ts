import { parse } from 'graphql';
import type { Graph } from '../../../kernel/graph.ts';
import { PAGE_SIZE_MAX } from '../../../kernel/graphql/page.ts';
import type { RequestContext } from '../../../kernel/request.ts';
import { type Customer, findCustomers } from '../customers/customer.ts';

const CATEGORIES = parse(`query ServiceCategories($ids: [ID!]!) {
  services(filter: { id: $ids }, page: { limit: ${PAGE_SIZE_MAX} }) { nodes { id catalogService { category } } }
}`);

/** Category of a service that is not in the catalog. */
const UNKNOWN = 'other';

/** Reads an account, and the category of a service. Null if the organization does not have the account. Not for transactions. */
export async function findBilled(
  graph: Graph,
  request: RequestContext,
  { accountId, serviceId }: { accountId: string; serviceId: string },
): Promise<{ customer: Customer; category: string } | null> {
  const customer = (await findCustomers(graph, request, [accountId])).get(accountId);
  if (!customer) return null;
  const { services } = await graph.query<{ services: { nodes: { catalogService: { category: string } }[] } }>(
    CATEGORIES,
    { ids: [serviceId] },
    request,
  );
  return { customer, category: services.nodes[0]?.catalogService.category ?? UNKNOWN };
}
