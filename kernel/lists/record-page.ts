import type { Rows } from '../database/database.ts';
import type { Page, PageInput, SortBy } from '../graphql/page.ts';
import type { SelectedFields } from '../graphql/selected-fields.ts';
import type { RecordLoader } from '../records/loaders.ts';
import { pageFrom, type Window } from '../records/pagination.ts';
import type { List } from './list.ts';
import { pageStatement, type Statement } from './list-statement.ts';

/** Functions that read the records of a list. */
export interface RecordSource<T extends object> {
  rows: Rows;
  records: RecordLoader<T>;
  /** Returns the number of rows of the whole list. */
  total(): Promise<number>;
  /** True if the page consists of the newest records that the caller sees (`isNewest`). Such a page is read in one step. */
  isNewest: boolean;
  /** The fields of the records to read. Default: all. */
  fields?: SelectedFields;
}

/** Row of a page: the id of a record, and the fields by which the page is sorted. */
interface Key extends Record<string, unknown> {
  id: string;
}

/**
 * Returns one page of a list. First reads the ids from an index in list order, and then the records by id.
 * @throws InvalidParameters if the cursor belongs to another list or sort order
 */
export async function recordPage<T extends { id: string }>(list: List, source: RecordSource<T>, page: PageInput): Promise<Page<T>> {
  const { rows, records, total, isNewest, fields } = source;
  const properties = list.table.fields;
  if (isNewest) return pageFrom<T>({ properties, rows: (_, { limit }) => records.recent(limit, fields), total }, list.sort, page);
  const keys = (_: unknown, window: Window) => keysOf(rows, pageStatement(list, window), list);
  const { nodes, pageInfo } = await pageFrom<Key>({ properties, rows: keys, total }, list.sort, page);
  const ids = nodes.map(({ id }) => id);
  return { nodes: await records.all(ids, fields), pageInfo };
}

async function keysOf(rows: Rows, { text, values }: Statement, { table, sort }: List): Promise<Key[]> {
  const found = await rows.query<Record<string, unknown>>(text, values);
  const timestamps = sort.map(({ field }) => field).filter((field) => table.fields[field]?.runtimeType === 'Date');
  for (const row of found) for (const field of timestamps) row[field] = new Date(row[field] as Date | string);
  return found as Key[];
}

/** Number of records that `everyRecord` reads at a time. */
const BATCH = 500;

/**
 * Reads all records of a list, in batches. A batch is read when it is needed, so that the records of a long list are
 * never in memory together. Records that are added in the meantime are included if they come later in the order. `read`
 * returns the records with these ids; null for a record that no longer exists.
 */
export async function* everyRecord<T extends object>(
  list: List,
  rows: Rows,
  read: (ids: readonly string[]) => Promise<readonly (T | null)[]>,
): AsyncGenerator<T[]> {
  let after: readonly unknown[] | undefined;
  for (;;) {
    const window: Window = { limit: BATCH, offset: 0, ...(after && { after }) };
    const keys = await keysOf(rows, pageStatement(list, window), list);
    const records = await read(keys.map(({ id }) => id));
    yield records.filter((record): record is Awaited<T> => record !== null) as T[];
    const last = keys.at(-1);
    if (!last || keys.length < BATCH) return;
    after = list.sort.map(({ field }) => last[field]);
  }
}

/** Returns true for the first page of a list without filters and sort order, which is the most common request. */
export const isNewest = (criteria: object, sort: readonly SortBy[], { page, offset, cursor }: PageInput): boolean =>
  sort.length === 0 &&
  !cursor &&
  !offset &&
  (page ?? 1) === 1 &&
  Object.values(criteria).every((value) => value === undefined || value === null);
