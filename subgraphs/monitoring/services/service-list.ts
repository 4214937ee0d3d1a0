import { parse } from 'graphql';
import { InvalidParameters } from '../../../kernel/errors/errors.ts';
import type { Graph } from '../../../kernel/graph.ts';
import { PAGE_SIZE_MAX } from '../../../kernel/graphql/page.ts';
import type { RequestContext } from '../../../kernel/request.ts';
import { ServiceType } from '../../../kernel/values/service-type.ts';

/** Maximum number of services of an analysis. */
export const LISTED_SERVICES_MAX = 10_000;

const SERVICES = parse(`query ListedServices($ids: [ID!], $accountId: [ID!], $type: [ServiceType!], $limit: Int!, $cursor: String) {
  services(filter: { id: $ids, accountId: $accountId, type: $type }, page: { limit: $limit, cursor: $cursor }) {
    nodes { id } pageInfo { total nextCursor }
  }
}`);

interface Found {
  services: { nodes: { id: string }[]; pageInfo: { total: number; nextCursor: string | null } };
}

/** Selection of services. A value that is null or missing selects all services that the caller sees. */
export interface ServiceSelection {
  ids?: readonly string[] | null;
  accountId?: string | null;
  type?: ServiceType | null;
}

/** Lists the services that a caller sees. It queries the graph, so it must not be used within a transaction. */
export class ServiceList {
  constructor(
    private readonly graph: Graph,
    private readonly request: RequestContext,
  ) {}

  async count(selection: ServiceSelection): Promise<number> {
    return (await this.#read(selection, 1, null)).pageInfo.total;
  }

  /**
   * Returns the ids of the services.
   * @throws InvalidParameters if there are more than LISTED_SERVICES_MAX
   */
  async ids(selection: ServiceSelection): Promise<string[]> {
    const ids: string[] = [];
    let cursor: string | null = null;
    do {
      const { nodes, pageInfo } = await this.#read(selection, PAGE_SIZE_MAX, cursor);
      if (pageInfo.total > LISTED_SERVICES_MAX) throw new TooManyServices();
      ids.push(...nodes.map(({ id }) => id));
      cursor = pageInfo.nextCursor;
    } while (cursor);
    return ids;
  }

  async #read({ ids, accountId, type }: ServiceSelection, limit: number, cursor: string | null): Promise<Found['services']> {
    const variables = {
      ...{ ids: ids ?? null, accountId: accountId ? [accountId] : null, limit, cursor },
      type: type ? [nameOf(type)] : null,
    };
    return (await this.graph.query<Found>(SERVICES, variables, this.request)).services;
  }
}

/** 400: the caller must name an account, because an analysis cannot have so many services. */
export class TooManyServices extends InvalidParameters {
  constructor() {
    super([{ field: 'accountId', reason: `must be given: you see more than ${LISTED_SERVICES_MAX} services` }]);
  }
}

/** Returns the name of a type in the graph, such as `SIP_TRUNK`. */
const nameOf = (type: ServiceType): string => Object.entries(ServiceType).find(([, value]) => value === type)?.[0] ?? '';
