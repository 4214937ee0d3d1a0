import { parse } from 'graphql';
import type { Graph } from '../../../kernel/graph.ts';
import { PAGE_SIZE_MAX } from '../../../kernel/graphql/page.ts';
import type { RequestContext } from '../../../kernel/request.ts';
import type { PricedService } from '../usage-prices/usage-scope.ts';

/** A service with metered usage, with the fields that reports and prices need. */
export interface MeteredService extends PricedService {
  accountId: string;
  /** Currency in which the service is billed. */
  currency: string;
  /** Time zone of the account. */
  zone: string;
}

const METERED = parse(`query MeteredServices($ids: [ID!]!) {
  services(filter: { id: $ids }, page: { limit: ${PAGE_SIZE_MAX} }) {
    nodes { id accountId type serviceType currency account { timezone } catalogService { category } }
  }
}`);

interface Found {
  services: {
    nodes: {
      id: string;
      accountId: string;
      type: string;
      serviceType: string;
      currency: string;
      account: { timezone: string } | null;
      catalogService: { category: string } | null;
    }[];
  };
}

/**
 * Loads services by id. The result does not contain services that do not exist, or that the caller may not see. One
 * query loads up to 200 services.
 */
export async function meteredServices(graph: Graph, request: RequestContext, ids: Iterable<string>): Promise<Map<string, MeteredService>> {
  const unique = [...new Set(ids)];
  const parts = Array.from({ length: Math.ceil(unique.length / PAGE_SIZE_MAX) }, (_, index) =>
    unique.slice(index * PAGE_SIZE_MAX, (index + 1) * PAGE_SIZE_MAX),
  );
  const found = await Promise.all(parts.map((part) => graph.query<Found>(METERED, { ids: part }, request)));
  const services = found.flatMap((answer) => answer.services.nodes);
  return new Map(services.map((service) => [service.id, meteredServiceOf(service)]));
}

const meteredServiceOf = ({ id, type, account, catalogService, ...service }: Found['services']['nodes'][number]): MeteredService => ({
  ...service,
  serviceId: id,
  // the graph spells enums in upper case
  type: type.toLowerCase(),
  category: catalogService?.category ?? null,
  zone: account?.timezone ?? 'UTC',
});
