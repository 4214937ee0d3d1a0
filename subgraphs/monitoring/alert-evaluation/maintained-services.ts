import { parse } from 'graphql';
import { BoundedCache } from '../../../kernel/bounded-cache.ts';
import type { Clock } from '../../../kernel/clock.ts';
import type { Graph } from '../../../kernel/graph.ts';
import { PAGE_SIZE_MAX } from '../../../kernel/graphql/page.ts';
import type { Logger } from '../../../kernel/log/log.ts';
import { requestOf } from '../../../kernel/request.ts';

const WINDOWS = parse(`query MaintainedServices($cursor: String) {
  maintenanceWindows(filter: { status: [IN_PROGRESS] }, page: { limit: ${PAGE_SIZE_MAX}, cursor: $cursor }) {
    nodes { serviceId } pageInfo { nextCursor }
  }
}`);

interface Found {
  maintenanceWindows: { nodes: { serviceId: string }[]; pageInfo: { nextCursor: string | null } };
}

const MAX_ORGANIZATIONS = 1000;
const MAX_PAGES = 20;
/** Time for which the list of services in maintenance is cached. */
const KNOWN_MS = 30_000;

/**
 * Cache of the services that are in maintenance. Maintenance windows belong to the services domain, and the graph must not be queried
 * within a transaction. So a transaction uses the cache, and its caller looks up missing organizations after the transaction.
 */
export class MaintainedServices {
  readonly #known = new BoundedCache<string, { services: ReadonlySet<string>; at: number }>(MAX_ORGANIZATIONS);

  constructor(private readonly deps: { graph: Graph; clock: Clock; log: Logger }) {}

  /** Returns the services of an organization that are in maintenance. Undefined if the cache does not contain them. */
  of(organizationId: string): ReadonlySet<string> | undefined {
    const known = this.#known.get(organizationId);
    const age = this.deps.clock.now().getTime() - (known?.at ?? 0);
    return known && age >= 0 && age < KNOWN_MS ? known.services : undefined;
  }

  /**
   * Looks up the services of an organization that are in maintenance. Must not be called within a transaction. If the graph cannot be
   * queried, no service counts as being in maintenance, so that alert notifications are sent even if another domain is down.
   */
  async lookUp(organizationId: string): Promise<void> {
    const { clock, log } = this.deps;
    const services = await this.#read(organizationId).catch((error: unknown) => {
      log.warn({ err: error, organization: organizationId }, 'maintenance of services is unknown, so their alerts are sent');
      return new Set<string>();
    });
    this.#known.set(organizationId, { services, at: clock.now().getTime() });
  }

  async #read(organizationId: string): Promise<Set<string>> {
    const { graph, log } = this.deps;
    const request = requestOf('monitoring.alerts', organizationId, log);
    const services = new Set<string>();
    let cursor: string | null = null;
    for (let page = 0; page < MAX_PAGES; page += 1) {
      const { maintenanceWindows: found }: Found = await graph.query<Found>(WINDOWS, { cursor }, request);
      for (const { serviceId } of found.nodes) services.add(serviceId);
      cursor = found.pageInfo.nextCursor;
      if (cursor === null) break;
    }
    return services;
  }
}
