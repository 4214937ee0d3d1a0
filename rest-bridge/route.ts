import type { ErrorCode } from '../kernel/errors/errors.ts';
import type { Resource } from '../kernel/errors/resource.ts';
import { BODY_LIMIT } from '../kernel/http/bodies.ts';
import type { Priority, RateCategory } from '../kernel/http/http.ts';
import { weightOf } from '../router/edge/plans.ts';
import type { Operation } from './openapi/types.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

/**
 * A GraphQL selection of the fields that REST returns for a record. Without a view, REST returns the plain fields:
 * scalars, enums and objects without an id. In REST, a field has its name in snake_case, or its alias. `...fields`
 * selects the plain fields.
 */
export interface View {
  /** Name of the view's schema in the OpenAPI document. */
  readonly name: string;
  readonly selection: string;
}

/** A maximum size of decoded bodies above the default `BODY_LIMIT`, and the reason why a route needs it. */
export interface LargeBody {
  readonly mebibytes: number;
  readonly reason: string;
}

/** Limit for a body with up to ten files in base64, as in a ticket or comment. */
export const WITH_FILES: LargeBody = { mebibytes: 25, reason: 'it can contain files' };

export interface RouteOptions {
  summary: string;
  description?: string;

  /**
   * Maps a REST name to a GraphQL argument or input field with another name. `{x_id}` in a path is mapped to `id`
   * automatically.
   */
  names?: Readonly<Record<string, string>>;
  /**
   * Maps a REST field to a GraphQL argument whose input object stays an object. The fields of all other input objects
   * become parameters or body fields.
   */
  nested?: Readonly<Record<string, string>>;
  /** Values that the route sets and the caller cannot choose. Names and values are in REST form. */
  fixed?: Readonly<Record<string, unknown>>;
  /** REST names of input fields that this route does not accept. */
  omit?: readonly string[];

  /** Record type that a 404 response names. Default: the type of the returned record. */
  resource?: Resource;
  select?: View;
  /**
   * Makes the whole body `{"<wrap>": …}`. Default: the general envelope (specification 2.1), with the record under
   * `data`.
   */
  wrap?: string;
  /** Makes the record itself the whole body. */
  bare?: true;
  /**
   * Format of a page. `general` (default): the general envelope with `pagination`. `support`: `{<wrap>, pagination}`,
   * where the page size is called `limit`. `invoices`: `{<wrap>, total_count, has_more}`. `cursor`: the general envelope
   * with a `pagination` that has no numbers of pages and records, for lists that are too long to be counted.
   * `counted`: the same with these numbers, which are counted up to a limit.
   */
  list?: 'general' | 'support' | 'invoices' | 'cursor' | 'counted';
  /**
   * Makes parts of the response null that the caller may not read, or whose domain is not available, instead of failing the
   * whole request.
   */
  partial?: true;
  /** Status of a successful response. Default: 201 for a POST that is a mutation, otherwise 200. */
  status?: 200 | 201 | 202;

  /** `public`: the operation needs no credentials. Default: it needs valid credentials. */
  access?: 'public';
  category?: RateCategory;
  /** Additional errors of this operation: the cause of each error code. */
  errors?: Readonly<Partial<Record<ErrorCode, string>>>;
  /** Priority of a waiting request when all concurrency slots are in use. Default: the priority of the category (`priorityOf`). */
  priority?: Priority;
  weight?: number;

  /** Accepts the parameters of this GET in a JSON body too. */
  bodyOnGet?: true;
  /** Maximum body size. Default: 256 KiB. */
  largeBody?: LargeBody;
  /** Marks an operation that the specification does not have (`x-addition` in OpenAPI). */
  addition?: true;
  /** An example of a valid request body. */
  example?: Readonly<Record<string, unknown>>;
}

/** One REST operation: an entry of the route table. */
export interface Route extends RouteOptions {
  /** The unique operationId in the OpenAPI document. */
  readonly operationId: string;
  readonly method: Method;
  /** The path under /v1. Parameters are written as `{ticket_id}`. */
  readonly path: string;
  /** The field of Query or Mutation that the operation runs. */
  readonly field: string;
}

/**
 * An operation that does not run in the graph, such as the download of a file. Another module registers it on the
 * server.
 * This entry describes it in OpenAPI, and makes OPTIONS and 405 responses correct for its path.
 * An operation with `servers` is outside of /v1. Its entry is used only for OpenAPI.
 */
export interface NonGraphRoute {
  readonly method: Method;
  readonly path: string;
  readonly operation: Operation;
  /** Set if the operation can have another origin than the REST API. In this case, the operation must state `servers`. */
  readonly servedBy?: 'auth' | 'saml';
}

/** The routes of one area. `tag` is the name of the area. */
export interface Area {
  readonly tag: string;
  readonly description: string;
  /** Heading in the API reference under which the area is shown (`x-tagGroups`). Several areas can have the same heading. */
  readonly group: string;
  readonly routes: readonly Route[];
}

type Builder = (operationId: string, path: string, field: string, options: RouteOptions) => Route;
const builder =
  (method: Method): Builder =>
  (operationId, path, field, options) => ({ operationId, method, path, field, ...options });

export const get = builder('GET');
export const post = builder('POST');
export const put = builder('PUT');
export const del = builder('DELETE');
export const area = (tag: string, description: string, routes: readonly Route[], group: string = tag): Area => ({
  tag,
  description,
  group,
  routes,
});
export const view = (name: string, selection: string): View => ({ name, selection });

/** Returns the maximum body size of a route in bytes. */
export const bodyLimitOf = ({ largeBody }: Pick<Route, 'largeBody'>): number => (largeBody ? largeBody.mebibytes * 1024 ** 2 : BODY_LIMIT);

/**
 * Returns the priority of a route when all concurrency slots are taken (specification 8.4): high for billing and
 * account management, low for exports.
 */
export const priorityOf = ({ priority, category }: Pick<Route, 'priority' | 'category'>): Priority =>
  priority ?? (category && PRIORITY_OF_CATEGORY[category]) ?? 'normal';

/** Returns the weight of one request in the limits of the plan (specification 8.4). */
export const weightOfRoute = ({ method, weight }: Pick<Route, 'method' | 'weight'>): number => weight ?? weightOf(method);

/**
 * Returns the category whose limit counts the requests of a route (specification 8.4). The limits of the plan count
 * them too. Undefined if the route has no category or is a GET.
 */
export const countedCategoryOf = ({ method, category }: Pick<Route, 'method' | 'category'>): RateCategory | undefined =>
  method === 'GET' ? undefined : category;

const PRIORITY_OF_CATEGORY: Readonly<Record<RateCategory, Priority>> = {
  billing: 'high',
  account: 'high',
  provisioning: 'normal',
  export: 'low',
};

/** Returns the names of path parameters: `ticket_id` for `/support/tickets/{ticket_id}`. */
export const pathParameters = (path: string): string[] => [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name as string);
/** Returns a path in the syntax of Fastify and Sofa: `/tickets/:id` for `/tickets/{id}`. */
export const routerPath = (path: string): string => path.replace(/\{(\w+)\}/g, ':$1');
/**
 * Returns a path without the names of its parameters. If the results of two routes are equal, the routes match the same
 * paths.
 */
export const pathShape = (path: string): string => path.replace(/\{\w+\}/g, '{}');
