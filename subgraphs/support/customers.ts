import { parse } from 'graphql';
import type { Graph } from '../../kernel/graph.ts';
import { orNotFound } from '../../kernel/records/records.ts';
import type { RequestContext } from '../../kernel/request.ts';

const CUSTOMER = parse(
  'query SupportCustomer($id: ID!) { accounts(filter: { customerId: [$id] }, page: { limit: 1 }) { nodes { id tier name email } } }',
);

/** Fields of an account that the support domain uses. */
export interface Customer {
  id: string;
  tier: string | null;
  name: string;
  email: string;
}

/**
 * Returns the account with the customer number `id`. Queries the graph, so it must be called before a transaction
 * begins.
 * @throws ResourceNotFound
 */
export async function findCustomer(graph: Graph, request: RequestContext, id: string): Promise<Customer> {
  const { accounts } = await graph.query<{ accounts: { nodes: Customer[] } }>(CUSTOMER, { id }, request);
  return orNotFound(accounts.nodes[0], 'customer', id);
}
