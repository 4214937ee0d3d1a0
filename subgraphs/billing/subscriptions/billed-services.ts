import { parse } from 'graphql';
import type { Graph } from '../../../kernel/graph.ts';
import type { RequestContext } from '../../../kernel/request.ts';
import { CUSTOMER_FIELDS, type Customer, customerOf, type FoundAccount } from '../customers/customer.ts';

const BILLED = parse(`query BilledService($account: ID!, $service: ID!) {
  account(id: $account) { ${CUSTOMER_FIELDS} }
  service(id: $service) { catalogService { category } }
  organization { name }
}`);

interface Found {
  account: FoundAccount | null;
  service: { catalogService: { category: string } } | null;
  organization: { name: string };
}

/** Category of a service that is not in the catalog. */
const UNKNOWN = 'other';

/**
 * Reads an account, and the category of a service, with one query as the platform. Null if the organization does not have
 * the account. Do not call it inside a transaction.
 */
export async function findBilled(
  graph: Graph,
  request: RequestContext,
  { accountId, serviceId }: { accountId: string; serviceId: string },
): Promise<{ customer: Customer; category: string } | null> {
  const { account, service, organization } = await graph.query<Found>(BILLED, { account: accountId, service: serviceId }, request);
  return account && { customer: customerOf(account, organization.name), category: service?.catalogService.category ?? UNKNOWN };
}
