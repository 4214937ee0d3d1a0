import { createHash } from 'node:crypto';
import type { EntityClass, FilterQuery, QueryOrderMap } from '@mikro-orm/core';
import type { EntityManager } from '../database/database.ts';
import { InvalidParameters } from '../errors/errors.ts';
import { PAGE_SIZE_DEFAULT, type Page, type PageInput, type SortBy, SortOrder } from '../graphql/page.ts';
import { DateTime, DecimalNumber } from '../graphql/scalars.ts';
import { isStorable } from '../values/text.ts';

export interface ListQuery<T extends object> {
  where: FilterQuery<T>;
  /** Property names. The id is appended, so that the order is total. */
  sort?: readonly SortBy[];
  defaultSort: readonly SortBy[];
  page?: PageInput;
}

/** The source of a list that is not simply an entity. */
export interface ListSource<K extends { id: string }> {
  /** Types of the sort fields. The values of cursors are checked against them. */
  properties: Properties;
  /**
   * Returns at most `limit` rows in the order of `sort`, starting at `offset`, or after the row whose sort fields have the values `after`.
   */
  rows(sort: readonly SortBy[], window: Window): Promise<K[]>;
  /** Number of rows of the whole list. */
  total(): Promise<number>;
}

export interface Window {
  limit: number;
  offset: number;
  after?: readonly unknown[];
}

/**
 * Returns one page of an entity's list: by page number or offset, or after a keyset cursor, which stays stable when rows are added.
 * @throws InvalidParameters for a cursor of another list or sort, and for parameters that exclude each other
 */
export function listPage<T extends { id: string }>(em: EntityManager, entity: EntityClass<T>, query: ListQuery<T>): Promise<Page<T>> {
  const sort = [...(query.sort?.length ? query.sort : query.defaultSort), { field: 'id', order: lastOrder(query) }];
  const source: ListSource<T> = {
    properties: em.getMetadata().get<T>(entity).properties as unknown as Properties,
    rows: (_, { limit, offset, after }) => {
      const where = (after ? { $and: [query.where, keysetAfter(sort, after)] } : query.where) as FilterQuery<T>;
      const orderBy = sort.map(({ field, order }) => ({ [field]: order })) as QueryOrderMap<T>[];
      return em.find(entity, where, { orderBy, limit, offset }) as Promise<T[]>;
    },
    total: () => em.count(entity, query.where),
  };
  return pageFrom(source, sort, query.page ?? {});
}

/**
 * Returns one page of any source. The last field of `sort` must make the order total.
 * @throws InvalidParameters
 */
export async function pageFrom<K extends { id: string }>(
  source: ListSource<K>,
  sort: readonly SortBy[],
  page: PageInput,
): Promise<Page<K>> {
  const { limit, offset, cursor } = windowOf(page);
  const after = cursor ? decodeCursor(cursor, sort, source.properties) : undefined;
  // one row more than requested shows whether there is a next page
  const rows = await source.rows(sort, { limit: limit + 1, offset, after });
  const total = isWhole(rows.length, offset, limit, after) ? offset + rows.length : await source.total();
  const nodes = rows.slice(0, limit);
  const hasMore = rows.length > limit;
  const last = nodes.at(-1);
  return {
    nodes,
    pageInfo: {
      page: Math.floor(offset / limit) + 1,
      perPage: limit,
      total,
      pages: Math.ceil(total / limit),
      hasMore,
      nextCursor: hasMore && last ? encodeCursor(sort, last) : null,
    },
  };
}

/** Returns true if the page is not full and not past the end: then the total is known without counting. */
const isWhole = (found: number, offset: number, limit: number, after: unknown): boolean =>
  !after && found <= limit && (found > 0 || offset === 0);

const lastOrder = <T extends object>({ sort, defaultSort }: ListQuery<T>): SortOrder =>
  (sort?.length ? sort : defaultSort).at(-1)?.order ?? SortOrder.ASC;

function windowOf({ page, perPage, cursor, limit, offset }: PageInput): Omit<Window, 'after'> & { cursor?: string } {
  const size = perPage ?? limit ?? PAGE_SIZE_DEFAULT;
  return { limit: size, offset: offset ?? ((page ?? 1) - 1) * size, cursor: cursor ?? undefined };
}

/**
 * Condition for the rows after a key in a mixed order: a OR (a= AND b) OR (a= AND b= AND c). Null sorts as the largest value, as in
 * PostgreSQL.
 */
function keysetAfter(sort: readonly SortBy[], values: readonly unknown[]): object {
  const branches = sort.map(({ field, order }, index) => {
    const equal = sort.slice(0, index).map((before, at) => ({ [before.field]: values[at] }));
    return { $and: [...equal, beyond(field, order, values[index])] };
  });
  return { $or: branches };
}

function beyond(field: string, order: SortOrder, value: unknown): object {
  if (order === SortOrder.ASC) return value === null ? { id: null } : { $or: [{ [field]: { $gt: value } }, { [field]: null }] };
  return value === null ? { [field]: { $ne: null } } : { [field]: { $lt: value } };
}

const signatureOf = (sort: readonly SortBy[]): string =>
  createHash('sha256')
    .update(sort.map(({ field, order }) => `${field}:${order}`).join())
    .digest('base64url')
    .slice(0, 6);

function encodeCursor<T extends object>(sort: readonly SortBy[], row: T): string {
  const values = sort.map(({ field }) => (row as Record<string, unknown>)[field] ?? null);
  return Buffer.from(JSON.stringify([signatureOf(sort), ...values])).toString('base64url');
}

/** Types of properties, from the entity's metadata. */
export type Properties = Readonly<Record<string, { runtimeType: string; nullable?: boolean; items?: readonly unknown[] }>>;

/** Returns true if a cursor was issued for a list in this order. The values are not checked. */
export function isCursorOf(cursor: string, sort: readonly SortBy[]): boolean {
  try {
    return partsOf(cursor)[0] === signatureOf(sort);
  } catch {
    return false;
  }
}

/** @throws TypeError, SyntaxError if the text is not a cursor */
const partsOf = (cursor: string) => JSON.parse(Buffer.from(cursor, 'base64url').toString()) as [string, ...unknown[]];

function decodeCursor(cursor: string, sort: readonly SortBy[], properties: Properties): unknown[] {
  try {
    const [signature, ...values] = partsOf(cursor);
    const fits = values.every((value, index) => isValueOf(properties[sort[index]?.field ?? ''], value));
    if (signature === signatureOf(sort) && values.length === sort.length && fits) return values;
  } catch {
    // an unreadable cursor gets the same error as a cursor of another list
  }
  throw new InvalidParameters([
    { field: 'cursor', value: cursor, reason: 'is not a cursor of this list and sort order; start again without a cursor' },
  ]);
}

/** Checks a value from a cursor, which the caller can forge: only plain values of the property's type may reach the query, no operators. */
function isValueOf(property: Properties[string] | undefined, value: unknown): boolean {
  if (!property) return false;
  if (value === null) return property.nullable === true;
  if (property.items && !property.items.includes(value)) return false;
  if (property.runtimeType === 'Date') return typeof value === 'string' && DateTime.parseValue(value) instanceof Date;
  if (property.runtimeType === 'number') return typeof value === 'number';
  if (property.runtimeType === 'boolean') return typeof value === 'boolean';
  if (property.runtimeType === 'string') return typeof value === 'string' && isStorable(value);
  return typeof value === 'string' && DecimalNumber.parseValue(value) !== undefined;
}
