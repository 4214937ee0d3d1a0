import type { Accounts } from '../../kernel/access/principal.ts';
import type { Mailer } from '../../kernel/messages/mail.ts';
import { billing } from '../../subgraphs/billing/subgraph.ts';
import { DomainProcess, DomainWorld, type Store, storeFor } from '../support/domain-world.ts';
import type { Json } from '../tenant.ts';

const NO_MAILER: Mailer = { send: () => Promise.reject(new Error('The tests of this world send no mail.')), close: async () => undefined };

/** The billing domain without the other domains, for tests with several processes. */
export class BillingWorld extends DomainWorld {
  static async open(store?: Store): Promise<BillingWorld> {
    return new BillingWorld(store ?? (await storeFor(billing)));
  }

  /** Starts another process of the billing domain on the same database. */
  async start(): Promise<BillingProcess> {
    const ports = { ...this.ports(), mailer: NO_MAILER, sms: NO_MAILER, mailsInvoices: false };
    return new BillingProcess(this, billing.start(ports), ports.jobs).begin();
  }
}

/** Input of a list of invoices, in GraphQL form. */
export interface InvoiceQuery {
  filter?: object;
  sort?: object[];
  page?: object;
}

const LIST = `query($filter: InvoiceFilter, $sort: [InvoiceSort!], $page: PageInput) {
  invoices(filter: $filter, sort: $sort, page: $page) { nodes { id } pageInfo { total hasMore nextCursor } }
}`;

export class BillingProcess extends DomainProcess {
  /**
   * Returns a page of invoices, for an unrestricted caller or for a caller limited to these accounts.
   * @throws the first GraphQL error
   */
  async list(query: InvoiceQuery, accounts: Accounts = null): Promise<{ ids: string[]; total: number; nextCursor: string | null }> {
    const { data, errors } = await this.execute(LIST, { ...query }, accounts);
    if (errors?.[0]) throw errors[0];
    const { nodes, pageInfo } = (data as Json).invoices;
    return { ids: nodes.map(({ id }: Json) => id), total: pageInfo.total, nextCursor: pageInfo.nextCursor };
  }
}
