import { parse } from 'graphql';
import type { Graph } from '../../../kernel/graph.ts';
import { PAGE_SIZE_MAX } from '../../../kernel/graphql/page.ts';
import { orNotFound } from '../../../kernel/records/records.ts';
import type { RequestContext } from '../../../kernel/request.ts';
import { type Customer, customerOf, findSellerName } from '../customers/customer.ts';

/** Fields of a service that an invoice needs. */
export interface BillableService {
  id: string;
  name: string;
  accountId: string;
  catalogService: { category: string };
}

/** The account of an invoice, and the services on it. */
export interface Billable {
  customer: Customer;
  services: Map<string, BillableService>;
}

/**
 * Query for the account and the services of an invoice. One page of results is enough, because the maximum page size is
 * greater than the maximum number of lines of an invoice.
 */
const BILLABLE = parse(`query BillableServices($account: ID!, $services: [ID!]!) {
  account(id: $account) {
    id name email timezone billingContact { name email } billingAddress { street city state zip country }
  }
  services(filter: { id: $services }, page: { limit: ${PAGE_SIZE_MAX} }) { nodes { id name accountId catalogService { category } } }
}`);

interface Answer {
  account: Parameters<typeof customerOf>[0] | null;
  services: { nodes: BillableService[] };
}

/**
 * Reads the account of an invoice and services by id, in one query.
 * @throws ResourceNotFound if the organization does not have the account or a service
 */
export async function findBillable(
  graph: Graph,
  request: RequestContext,
  { accountId, serviceIds }: { accountId: string; serviceIds: readonly string[] },
): Promise<Billable> {
  const ids = [...new Set(serviceIds)];
  const [{ account, services }, sellerName] = await Promise.all([
    graph.query<Answer>(BILLABLE, { account: accountId, services: ids }, request),
    findSellerName(graph, request),
  ]);
  const customer = customerOf(orNotFound(account, 'account', accountId), sellerName);
  const found = new Map(services.nodes.map((service) => [service.id, service]));
  for (const id of ids) orNotFound(found.get(id), 'service', id);
  return { customer, services: found };
}
