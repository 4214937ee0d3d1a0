import { parse } from 'graphql';
import type { Graph } from '../../../kernel/graph.ts';
import { PAGE_SIZE_MAX } from '../../../kernel/graphql/page.ts';
import { orNotFound } from '../../../kernel/records/records.ts';
import type { RequestContext } from '../../../kernel/request.ts';

/** Fields of a service that an invoice needs. */
export interface BillableService {
  id: string;
  name: string;
  accountId: string;
}

/**
 * Query for the services of an invoice. One page of results is enough, because the maximum page size is greater than the
 * maximum number of lines of an invoice.
 */
const BILLABLE = parse(`query BillableServices($account: ID!, $services: [ID!]!) {
  account(id: $account) { id }
  services(filter: { id: $services }, page: { limit: ${PAGE_SIZE_MAX} }) { nodes { id name accountId } }
}`);

interface Answer {
  account: object | null;
  services: { nodes: BillableService[] };
}

/**
 * Loads services by id, and checks that the account exists, in one query.
 * @throws ResourceNotFound if the organization does not have the account or a service
 */
export async function findBillable(
  graph: Graph,
  request: RequestContext,
  { accountId, serviceIds }: { accountId: string; serviceIds: readonly string[] },
): Promise<Map<string, BillableService>> {
  const ids = [...new Set(serviceIds)];
  const { account, services } = await graph.query<Answer>(BILLABLE, { account: accountId, services: ids }, request);
  orNotFound(account, 'account', accountId);
  const found = new Map(services.nodes.map((service) => [service.id, service]));
  for (const id of ids) orNotFound(found.get(id), 'service', id);
  return found;
}
