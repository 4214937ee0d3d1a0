import { parse } from 'graphql';
import type { Graph } from '../../../kernel/graph.ts';
import { PAGE_SIZE_MAX } from '../../../kernel/graphql/page.ts';
import type { RequestContext } from '../../../kernel/request.ts';
import { Decimal } from '../../../kernel/values/money.ts';

/** Maximum number of services whose prices are compared. With more services, the savings are unknown. */
export const SERVICES_MAX = 5 * PAGE_SIZE_MAX;

const PRICES = parse(`query ServicePrices($accounts: [ID!], $cursor: String) {
  services(filter: { accountId: $accounts, status: [OPERATIONAL, DEGRADED, DOWN, MAINTENANCE] }, page: { limit: ${PAGE_SIZE_MAX}, cursor: $cursor }) {
    nodes { monthlyPrice currency catalogPrice }
    pageInfo { total nextCursor }
  }
}`);

interface Answer {
  services: {
    nodes: { monthlyPrice: number; currency: string; catalogPrice: number | null }[];
    pageInfo: { total: number; nextCursor: string | null };
  };
}

/**
 * Returns the amount that services would cost less a month if they were ordered today with the same configuration. Null
 * if the caller has more than `SERVICES_MAX` services. Do not call it inside a transaction.
 */
export async function savingsOf(
  graph: Graph,
  request: RequestContext,
  accountId: string | null,
  currency: string,
): Promise<Decimal | null> {
  const variables = { accounts: accountId ? [accountId] : null };
  let total = new Decimal(0);
  let cursor: string | null = null;
  do {
    const { services }: Answer = await graph.query<Answer>(PRICES, { ...variables, cursor }, request);
    if (services.pageInfo.total > SERVICES_MAX) return null;
    for (const service of services.nodes) if (service.currency === currency) total = total.plus(savingOf(service));
    cursor = services.pageInfo.nextCursor;
  } while (cursor);
  return total;
}

const savingOf = ({ monthlyPrice, catalogPrice }: Answer['services']['nodes'][number]): Decimal =>
  catalogPrice === null ? new Decimal(0) : Decimal.max(0, new Decimal(monthlyPrice).minus(catalogPrice));
