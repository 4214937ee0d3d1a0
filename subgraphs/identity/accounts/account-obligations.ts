import { parse } from 'graphql';
import type { Graph } from '../../../kernel/graph.ts';
import type { RequestContext } from '../../../kernel/request.ts';
import { AccountInUse } from './account.errors.ts';

const NAMED = 20;
const OBLIGATIONS = parse(`query AccountObligations($id: ID!) {
  services(filter: { accountId: [$id], status: [PENDING, PROVISIONING, OPERATIONAL, DEGRADED, DOWN, MAINTENANCE, SUSPENDED, DECOMMISSIONING] }, page: { limit: ${NAMED} }) { nodes { id } }
  invoices(filter: { accountId: [$id], status: [PENDING, OVERDUE] }, page: { limit: ${NAMED} }) { nodes { id } }
}`);

type Found = Record<'services' | 'invoices', { nodes: { id: string }[] }>;

/**
 * Checks that the account has no live services and no open invoices. Queries services and billing through the federated
 * graph.
 * @throws AccountInUse with the first ids of these services and invoices
 */
export async function refuseWhileInUse(accountId: string, graph: Graph, request: RequestContext): Promise<void> {
  const { services, invoices } = await graph.query<Found>(OBLIGATIONS, { id: accountId }, request);
  const [serviceIds, invoiceIds] = [services, invoices].map(({ nodes }) => nodes.map(({ id }) => id)) as [string[], string[]];
  if (serviceIds.length + invoiceIds.length > 0) throw new AccountInUse({ serviceIds, invoiceIds });
}
