import { parse } from 'graphql';
import type { Graph } from '../../../kernel/graph.ts';
import { orNotFound } from '../../../kernel/records/records.ts';
import type { RequestContext } from '../../../kernel/request.ts';
import { findCustomers } from '../customers/customer.ts';

const SERVICE = parse('query BudgetService($id: ID!) { service(id: $id) { id accountId account { timezone } } }');

interface Answer {
  service: { id: string; accountId: string; account: { timezone: string } | null } | null;
}

/** Account and service whose costs count for a budget. */
export interface BudgetSubject {
  accountId: string | null;
  serviceId: string | null;
  /** Time zone in which budget periods start. */
  timezone: string;
}

/**
 * Returns the account and the service of a budget. A budget of a service belongs to the account of the service. Do not call it inside a
 * transaction.
 * @throws ResourceNotFound if the caller does not have the account or the service
 */
export async function findSubject(
  graph: Graph,
  request: RequestContext,
  { accountId, serviceId }: { accountId: string | null; serviceId: string | null },
): Promise<BudgetSubject> {
  if (serviceId) {
    const { service } = await graph.query<Answer>(SERVICE, { id: serviceId }, request);
    const found = orNotFound(service && (!accountId || service.accountId === accountId) ? service : null, 'service', serviceId);
    return { accountId: found.accountId, serviceId, timezone: found.account?.timezone ?? 'UTC' };
  }
  if (!accountId) return { accountId: null, serviceId: null, timezone: 'UTC' };
  const { timezone } = orNotFound((await findCustomers(graph, request, [accountId])).get(accountId), 'account', accountId);
  return { accountId, serviceId: null, timezone };
}
