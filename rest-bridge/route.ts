import type { ErrorCode } from '../kernel/errors/errors.ts';
import type { Resource } from '../kernel/errors/resource.ts';
import { BODY_LIMIT } from '../kernel/http/bodies.ts';
import type { Priority, RateCategory } from '../kernel/http/http.ts';
import { weightOf } from '../router/edge/plans.ts';
import type { Operation } from './openapi/types.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

/**
 * Selects what REST shows of a record if it is not just the plain fields: a GraphQL selection. Fields get their snake_case name; an alias
 * gives
 * another name. `...fields` stands for the plain fields.
 */
export interface View {
  /** Name of the schema in the OpenAPI document. */
  readonly name: string;
  readonly selection: string;
}

/** Maximum size of a decoded body, and the reason why it exceeds `BODY_LIMIT`. */
export interface LargeBody {
  readonly mebibytes: number;
  readonly reason: string;
}

/** Up to ten files of a ticket or comment, in base64. */
export const WITH_FILES: LargeBody = { mebibytes: 25, reason: 'it can contain files' };

export interface RouteOptions {
  summary: string;
  description?: string;

  /**
   * Maps a REST name to a graph argument or input field, if it is not that name in snake case. `{x_id}` is mapped to `id` automatically.
   */
  names?: Readonly<Record<string, string>>;
  /** Maps a REST field to a graph argument whose input object is not flattened. All others are flattened into the body or query. */
  nested?: Readonly<Record<string, string>>;
  /** Sets values, by REST name and in REST form, that the caller cannot choose. */
  fixed?: Readonly<Record<string, unknown>>;
  /** REST names that this route does not offer. */
  omit?: readonly string[];

  /** Record type of a 404. Default: the type of the record. */
  resource?: Resource;
  select?: View;
  /** The whole body is `{"<wrap>": …}`. Default: the general envelope (specification 2.1), with the record under `data`. */
  wrap?: string;
  /** The body is the record itself. */
  bare?: true;
  /** Format of a page: `support` is `{<wrap>, pagination{total, page, limit, pages}}`, `invoices` is `{<wrap>, total_count, has_more}`. */
  list?: 'general' | 'support' | 'invoices';
  /** Default: 201 for a POST that is a mutation, else 200. */
  status?: 200 | 201 | 202;

  /** `public` needs no credentials. */
  access?: 'public';
  category?: RateCategory;
  /** Errors of this operation beyond those of every operation: when each error code occurs. */
  errors?: Readonly<Partial<Record<ErrorCode, string>>>;
  /** Default: by its category (`priorityOf`). */
  priority?: Priority;
  weight?: number;

  /** The parameters of this GET may also come as a JSON body. */
  bodyOnGet?: true;
  /** Set if the body may be larger than 256 KiB. */
  largeBody?: LargeBody;
  /** Not in the specification (`x-addition`). */
  addition?: true;
  /** An example of a valid request body. */
  example?: Readonly<Record<string, unknown>>;
}

/** One operation of the REST API: an entry of the route table. */
export interface Route extends RouteOptions {
  /** The operationId of the OpenAPI document; unique. */
  readonly operationId: string;
  readonly method: Method;
  /** Under /v1, with parameters as `{ticket_id}`. */
  readonly path: string;
  /** The field of Query or Mutation that the route runs. */
  readonly field: string;
}

/**
 * An operation that something else serves, such as the download of a file. Here it is described, and its path is known, so that
 * OPTIONS and 405 hold for it too; who serves it registers it on the server. One with `servers` is only described.
 */
export interface NonGraphRoute {
  readonly method: Method;
  readonly path: string;
  readonly operation: Operation;
}

/** The routes of one area; its name is their tag. */
export interface Area {
  readonly tag: string;
  readonly description: string;
  /** The group of tags that documentation shows it in. */
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

/** Maximum body size of a route in bytes. */
export const bodyLimitOf = ({ largeBody }: Pick<Route, 'largeBody'>): number => (largeBody ? largeBody.mebibytes * 1024 ** 2 : BODY_LIMIT);

/** Priority of a route when all slots are taken (specification 8.4): high for billing and account management, low for exports. */
export const priorityOf = ({ priority, category }: Pick<Route, 'priority' | 'category'>): Priority =>
  priority ?? (category && PRIORITY_OF_CATEGORY[category]) ?? 'normal';

/** Cost of a request against the limits of its plan (specification 8.4). */
export const weightOfRoute = ({ method, weight }: Pick<Route, 'method' | 'weight'>): number => weight ?? weightOf(method);

/** The category that a request is counted in (specification 8.4). Only changes have one; reads count against the plan. */
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
/** The path as Fastify and Sofa write it. */
export const routerPath = (path: string): string => path.replace(/\{(\w+)\}/g, ':$1');
/** The path without parameter names, so that routes of the same path are found. */
export const pathShape = (path: string): string => path.replace(/\{\w+\}/g, '{}');
