import { parse } from 'graphql';
import { Principal } from '../../../kernel/access/principal.ts';
import type { Graph } from '../../../kernel/graph.ts';
import { PAGE_SIZE_MAX } from '../../../kernel/graphql/page.ts';
import { copyRequest, type RequestContext } from '../../../kernel/request.ts';
import type { BillTo } from './bill-to.ts';

/** Properties of an account that billing needs: name and address for invoices, place of taxation, and time zone. */
export interface Customer {
  accountId: string;
  name: string;
  email: string;
  /** Name and e-mail address of the person who receives the invoices. Null if unknown. */
  billingContact: { name: string; email: string } | null;
  address: CustomerAddress | null;
  /** IANA name of the time zone. */
  timezone: string;
  /** Name of the organization. It is the seller on invoices if the invoice settings have no legal name. */
  sellerName: string;
}

interface CustomerAddress {
  street: string;
  city: string;
  state: string | null;
  zip: string | null;
  /** ISO 3166-1 code of the country. */
  country: string;
}

/** Largest number of accounts that one query reads. */
export const CUSTOMERS_MAX = PAGE_SIZE_MAX;

/** The fields of an account from which a customer is created. */
export const CUSTOMER_FIELDS = 'id name email timezone billingContact { name email } billingAddress { street city state zip country }';

const CUSTOMERS = parse(`query Customers($ids: [ID!]!) {
  accounts(filter: { id: $ids, own: null }, page: { limit: ${CUSTOMERS_MAX} }) { nodes { ${CUSTOMER_FIELDS} } }
}`);

/** An account as the GraphQL query returns it. */
export type FoundAccount = Omit<Customer, 'accountId' | 'address' | 'sellerName'> & { id: string; billingAddress: CustomerAddress | null };

interface Answer {
  accounts: { nodes: FoundAccount[] };
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

/** Converts an account from the GraphQL query to the form that billing uses. */
export const customerOf = ({ id, billingAddress, ...account }: FoundAccount, sellerName: string): Customer => ({
  ...account,
  accountId: id,
  address: billingAddress,
  sellerName,
});

const SELLER = parse('query Seller { organization { name } }');

/**
 * Reads the name of the organization. The query runs as the platform, because a caller who is limited to accounts may
 * not see the organization. Do not call it inside a transaction.
 */
export async function findSellerName(graph: Graph, request: RequestContext): Promise<string> {
  const principal = Principal.system('billing.seller', request.principal.organizationId);
  const { organization } = await graph.query<{ organization: { name: string } }>(SELLER, {}, copyRequest(request, { principal }));
  return organization.name;
}

/** Returns the customer in the form in which an invoice shows it. */
export function billToOf({ name, address }: Customer, taxId: string | null): BillTo {
  const { street, city, state, zip, country } = address ?? {};
  const place = [zip, city, state].filter(Boolean).join(' ');
  return { name, address: [street, place, country].filter((line): line is string => !!line), taxId };
}
