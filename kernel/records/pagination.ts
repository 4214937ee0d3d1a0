import { createHash } from 'node:crypto';
import type { EntityClass, FilterQuery, QueryOrderMap } from '@mikro-orm/core';
import type { EntityManager } from '../database/database.ts';
import { InvalidParameters } from '../errors/errors.ts';
import { PAGE_SIZE_DEFAULT, type Page, type PageInput, type SortBy, SortOrder } from '../graphql/page.ts';
import { DateTime, DecimalNumber } from '../graphql/scalars.ts';
import { isStorable } from '../values/text.ts';

export interface ListQuery<T extends object> {
  where: FilterQuery<T>;
  /** Fields to sort by, as property names. The id is added as the last field, so that the order is unique. */
  sort?: readonly SortBy[];
  defaultSort: readonly SortBy[];
  page?: PageInput;
  /** Returns the number of records of the whole list. Default: the records are counted. */
  total?: (() => Promise<number>) | undefined;
}

/** The source of a list whose entries are not records of one entity. */
export interface ListSource<K extends { id: string }> {
  /** Types of the sort fields, to check the values in cursors. */
  properties: Properties;
  /**
   * Returns at most `limit` rows in the order of `sort`. If `after` is missing, the rows begin at `offset`. Otherwise,
   * they begin after the row whose sort fields have the values `after`.
   */
  rows(sort: readonly SortBy[], window: Window): Promise<K[]>;
  /** Returns the number of rows of the whole list. */
  total(): Promise<number>;
}

export interface Window {
  limit: number;
  offset: number;
  after?: readonly unknown[];
}

/**
 * Returns one page of a list of records: by page number, by offset, or after a cursor. A cursor contains the sort
 * fields of the last record, so added records do not shift the pages.
 * @throws InvalidParameters if the cursor belongs to another list or sort order
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
    total: query.total ?? (() => em.count(entity, query.where)),
  };
  return pageFrom(source, sort, query.page ?? {});
}

/**
 * Returns one page of any source. The last field of `sort` must be unique.
 * @throws InvalidParameters if the cursor belongs to another list or sort order
 */
export async function pageFrom<K extends { id: string }>(
  source: ListSource<K>,
  sort: readonly SortBy[],
  page: PageInput,
): Promise<Page<K>> {
  const { limit, offset, cursor } = windowOf(page);
  const after = cursor ? decodeCursor(cursor, sort, source.properties) : undefined;
  // if there is one row more than requested, there is a next page
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

/**
 * Returns true if the total number is known without a query, because the page was requested without a cursor and
 * contains the end of the list.
 */
const isWhole = (found: number, offset: number, limit: number, after: unknown): boolean =>
  !after && found <= limit && (found > 0 || offset === 0);

const lastOrder = <T extends object>({ sort, defaultSort }: ListQuery<T>): SortOrder =>
  (sort?.length ? sort : defaultSort).at(-1)?.order ?? SortOrder.ASC;

function windowOf({ page, perPage, cursor, limit, offset }: PageInput): Omit<Window, 'after'> & { cursor?: string } {
  const size = perPage ?? limit ?? PAGE_SIZE_DEFAULT;
  return { limit: size, offset: offset ?? ((page ?? 1) - 1) * size, cursor: cursor ?? undefined };
}

/**
 * Returns the condition for the rows that come after a given row, whose sort fields have these values. The first sort
 * field in which two rows differ decides which row comes first, in the direction of this field. Null sorts as the
 * largest value, as in PostgreSQL.
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

/** Types of the properties of an entity, from its metadata. */
export type Properties = Readonly<Record<string, { runtimeType: string; nullable?: boolean; items?: readonly unknown[] }>>;

/** Returns true if a cursor was issued for a list with this sort order. It does not check the values in the cursor. */
export function isCursorOf(cursor: string, sort: readonly SortBy[]): boolean {
  try {
    return partsOf(cursor)[0] === signatureOf(sort);
  } catch {
    return false;
  }
}

/**
 * Decodes a cursor.
 * @throws TypeError, SyntaxError if the text is not a cursor
 */
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

/**
 * Returns true if a value from a cursor is a plain value of the property's type. Callers can forge cursors, so
 * operators of the ORM must not get into the query.
 */
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
