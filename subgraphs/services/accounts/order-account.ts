import { parse } from 'graphql';
import type { Graph } from '../../../kernel/graph.ts';
import { orNotFound } from '../../../kernel/records/records.ts';
import type { RequestContext } from '../../../kernel/request.ts';
import { AccountNotActive } from './account.errors.ts';

const NAMED = parse('query OrderAccount($id: ID!) { account(id: $id) { id status } }');
const DEFAULT = parse('query DefaultOrderAccount { account: defaultAccount { id status } }');

/** The account of an order, as the GraphQL query returns it. */
interface FoundAccount {
  id: string;
  /** Enum values are in upper case in GraphQL, and in lower case in REST and in error messages. */
  status: string;
}

/** Determines and checks the account of an order. */
export class OrderAccount {
  constructor(
    private readonly graph: Graph,
    private readonly request: RequestContext,
  ) {}

  /**
   * Returns the id of the account that an order is for. An order that names no account is for the only account of the
   * caller, or for the organization's own account if the caller is not limited to accounts.
   * Must be called outside of a transaction.
   * @throws InvalidParameters if the order must name an account, because the caller is limited to several
   * @throws ResourceNotFound if the caller does not see the account
   * @throws AccountNotActive if the account is suspended or closed
   */
  async resolve(accountId: string | null | undefined): Promise<string> {
    const named = accountId ?? this.request.principal.defaultAccount('accountId');
    const found = await this.#find(named);
    const { id, status } = orNotFound(found, 'account', named ?? 'default');
    if (status !== 'ACTIVE') throw new AccountNotActive(id, status.toLowerCase());
    return id;
  }

  async #find(id: string | null): Promise<FoundAccount | null> {
    const [document, variables] = id === null ? [DEFAULT, {}] : [NAMED, { id }];
    const { account } = await this.graph.query<{ account: FoundAccount | null }>(document, variables, this.request);
    return account;
  }
}
