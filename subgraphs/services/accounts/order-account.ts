import { parse } from 'graphql';
import type { Graph } from '../../../kernel/graph.ts';
import { orNotFound } from '../../../kernel/records/records.ts';
import type { RequestContext } from '../../../kernel/request.ts';
import { BillingCycle } from '../../../kernel/values/billing-cycle.ts';
import { AccountNotActive } from './account.errors.ts';

const FIELDS = 'fragment Fields on Account { id status billing @include(if: $preferences) { billingCycle } }';
const NAMED = parse(`query OrderAccount($id: ID!, $preferences: Boolean!) { account(id: $id) { ...Fields } } ${FIELDS}`);
const DEFAULT = parse(`query DefaultOrderAccount($preferences: Boolean!) { account: defaultAccount { ...Fields } } ${FIELDS}`);

/** Description of the field `accountId` of orders. */
export const ORDER_ACCOUNT =
  "Account that the service is for (`acc_…`). It must be active. Default: your organization's own account, or your only account if you are limited to one account. Required if you are limited to several accounts.";

/** Description of the field `billingCycle` of orders. */
export const ORDER_CYCLE =
  'How often the service is invoiced. Default: the billing cycle of the quote. Without a quote: the billing cycle in the billing preferences of the account.';

/** The account of an order, as the GraphQL query returns it. GraphQL writes enum values in upper case. */
interface FoundAccount {
  id: string;
  status: string;
  billing?: { billingCycle: keyof typeof BillingCycle };
}

/** The account that receives the invoices of an order, and its billing cycle. */
export interface OrderedFor {
  accountId: string;
  billingCycle: BillingCycle;
}

/** Determines and checks the account of an order. */
export class OrderAccount {
  constructor(
    private readonly graph: Graph,
    private readonly request: RequestContext,
  ) {}

  /**
   * Returns the account that an order is for. If the order names no account, returns the only account that the caller may use. For callers
   * who are not limited to accounts, this is the organization's own account. If the order states no `billingCycle`, the account's billing
   * preferences apply, even if the caller may not read them. Must be called outside of a transaction.
   * @throws InvalidParameters if the order must name an account, because the caller is limited to several accounts
   * @throws ResourceNotFound if the caller may not see the account
   * @throws AccountNotActive if the account is suspended or closed
   */
  async resolve(named: string | null | undefined, billingCycle: BillingCycle | null | undefined): Promise<OrderedFor> {
    const wanted = named ?? this.request.principal.defaultAccount('accountId');
    const found = await this.#find(wanted, !billingCycle);
    const { id, status, billing } = orNotFound(found, 'account', wanted ?? 'default');
    if (status !== 'ACTIVE') throw new AccountNotActive(id, status.toLowerCase());
    return { accountId: id, billingCycle: billingCycle ?? BillingCycle[billing?.billingCycle ?? 'MONTHLY'] };
  }

  async #find(id: string | null, preferences: boolean): Promise<FoundAccount | null> {
    const [document, variables] = id === null ? [DEFAULT, { preferences }] : [NAMED, { id, preferences }];
    const { account } = await this.graph.query<{ account: FoundAccount | null }>(document, variables, this.request);
    return account;
  }
}
