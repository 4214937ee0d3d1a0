import { parse } from 'graphql';
import type { Accounts, RecordScope } from '../../../kernel/access/principal.ts';
import { BoundedCache } from '../../../kernel/bounded-cache.ts';
import type { Graph } from '../../../kernel/graph.ts';
import { PAGE_SIZE_MAX } from '../../../kernel/graphql/page.ts';
import type { Logger } from '../../../kernel/log/log.ts';
import { idPattern } from '../../../kernel/records/ids.ts';
import { requestOf } from '../../../kernel/request.ts';

const SERVICES = parse(`query ServiceAccounts($ids: [ID!]!) {
  services(filter: { id: $ids }, page: { limit: ${PAGE_SIZE_MAX} }) { nodes { id accountId } }
}`);

interface Found {
  services: { nodes: { id: string; accountId: string }[] };
}

/** Maximum number of services whose account is cached. A service never moves to another account. */
const KNOWN_MAX = 10_000;

/** Pattern of service ids. Callers can send any text as a service id, and other texts cannot be ids of services. */
const SERVICE_ID = new RegExp(idPattern('service'));

/** Finds the accounts of services. It queries the graph, so it must not be called within a transaction. */
export class ServiceAccounts {
  readonly #known = new BoundedCache<string, string>(KNOWN_MAX);

  constructor(
    private readonly graph: Graph,
    private readonly log: Logger,
  ) {}

  /** Returns the accounts of services, by service id. Leaves out services that do not exist or that the scope may not see. */
  async find({ organizationId, accounts }: RecordScope, serviceIds: Iterable<string>): Promise<Map<string, string>> {
    const ids = [...new Set(serviceIds)].filter((id) => SERVICE_ID.test(id));
    const missing = ids.filter((id) => this.#known.get(`${organizationId} ${id}`) === undefined);
    for (let at = 0; at < missing.length; at += PAGE_SIZE_MAX) await this.#read(organizationId, missing.slice(at, at + PAGE_SIZE_MAX));
    const found = ids.flatMap((id): [string, string][] => {
      const account = this.#known.get(`${organizationId} ${id}`);
      return account !== undefined && isWithin(accounts, account) ? [[id, account]] : [];
    });
    return new Map(found);
  }

  async #read(organizationId: string, ids: readonly string[]): Promise<void> {
    const request = requestOf('monitoring.services', organizationId, this.log);
    const { services } = await this.graph.query<Found>(SERVICES, { ids }, request);
    for (const { id, accountId } of services.nodes) this.#known.set(`${organizationId} ${id}`, accountId);
  }
}

const isWithin = (accounts: Accounts, account: string): boolean => accounts === null || accounts.includes(account);
