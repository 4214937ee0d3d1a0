import { parse } from 'graphql';
import { Principal } from '../../../kernel/access/principal.ts';
import type { Graph } from '../../../kernel/graph.ts';
import { PAGE_SIZE_MAX } from '../../../kernel/graphql/page.ts';
import type { RequestContext } from '../../../kernel/request.ts';
import type { BillTo } from './bill-to.ts';

/** What billing needs to know about an account: whom an invoice names, where it is taxed, and when its days start. */
export interface Customer {
  accountId: string;
  name: string;
  email: string;
  /** Name and e-mail address of the person for invoices. Null if unknown. */
  billingContact: { name: string; email: string } | null;
  address: CustomerAddress | null;
  /** IANA name of the time zone. */
  timezone: string;
  /** Name of the organization. It is the seller on invoices, unless the invoice settings name another. */
  sellerName: string;
}

interface CustomerAddress {
  street: string;
  city: string;
  state: string | null;
  zip: string | null;
  /** ISO 3166-1 code. */
  country: string;
}

/** Largest number of accounts that one query reads. */
export const CUSTOMERS_MAX = PAGE_SIZE_MAX;

const CUSTOMERS = parse(`query Customers($ids: [ID!]!) {
  accounts(filter: { id: $ids, own: null }, page: { limit: ${CUSTOMERS_MAX} }) {
    nodes { id name email timezone billingContact { name email } billingAddress { street city state zip country } }
  }
}`);

interface Answer {
  accounts: {
    nodes: (Omit<Customer, 'accountId' | 'address' | 'sellerName'> & { id: string; billingAddress: CustomerAddress | null })[];
  };
}

/**
 * Reads at most `CUSTOMERS_MAX` accounts by id, from the identity domain. The result lacks accounts that the organization
 * does not have. Do not call it inside a transaction.
 */
export async function findCustomers(graph: Graph, request: RequestContext, accountIds: readonly string[]): Promise<Map<string, Customer>> {
  const ids = [...new Set(accountIds)];
  const [{ accounts }, sellerName] = await Promise.all([graph.query<Answer>(CUSTOMERS, { ids }, request), findSellerName(graph, request)]);
  return new Map(accounts.nodes.map((account) => [account.id, customerOf(account, sellerName)]));
}

/** Returns an account of the graph as billing uses it. */
export const customerOf = ({ id, billingAddress, ...account }: Answer['accounts']['nodes'][number], sellerName: string): Customer => ({
  ...account,
  accountId: id,
  address: billingAddress,
  sellerName,
});

const SELLER = parse('query Seller { organization { name } }');

/**
 * Reads the name of the organization. It reads it as the platform, because a caller who is limited to accounts may not
 * see the organization, but an invoice names it. Do not call it inside a transaction.
 */
export async function findSellerName(graph: Graph, request: RequestContext): Promise<string> {
  const principal = Principal.system('billing.seller', request.principal.organizationId);
  const { organization } = await graph.query<{ organization: { name: string } }>(SELLER, {}, { ...request, principal });
  return organization.name;
}

/** Returns the customer as the invoice names it. */
export function billToOf({ name, address }: Customer, taxId: string | null): BillTo {
  const { street, city, state, zip, country } = address ?? {};
  const place = [zip, city, state].filter(Boolean).join(' ');
  return { name, address: [street, place, country].filter((line): line is string => !!line), taxId };
}
