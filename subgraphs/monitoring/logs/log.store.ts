import type { RecordScope } from '../../../kernel/access/principal.ts';
import type { EntityManager, Orm } from '../../../kernel/database/database.ts';
import type { DailyPartitions } from '../../../kernel/partitions/daily-partitions.ts';
import { type LogLevel, levelOf, severityOf } from './log.states.ts';
import type { LogEntry } from './log.types.ts';
import { fieldsOf, tsvectorOf } from './log-terms.ts';

/** Stored form of a log entry. */
export interface StoredEntry extends LogEntry {
  organizationId: string;
  /** Account of the service. Null if the entry does not concern a service. */
  accountId: string | null;
}

/** Conditions of a log search. An entry must meet all of them. */
export interface LogSelection extends RecordScope {
  serviceIds: readonly string[] | null;
  levels: readonly LogLevel[] | null;
  /** Condition on words and fields, as a PostgreSQL tsquery. Null means no condition. */
  tsquery: string | null;
}

/** A time range of a log search, and the maximum number of its newest entries to read. */
export interface Slice {
  /** Start of the range, inclusive. */
  from: Date;
  /** End of the range, exclusive. */
  to: Date;
  /** Position in the list. Only entries after this position are read. Null means no position. */
  after: { at: Date; id: string } | null;
  limit: number;
  /** Time after which the database cancels the statement. */
  timeoutMs: number;
}

/** An entry as the database returns it. */
export interface EntryRow {
  id: string;
  at: Date | string;
  level: number;
  source: string;
  message: string;
  attributes: string;
  service_id: string | null;
  request_id: string | null;
  trace_id: string | null;
}

/** SQLSTATE of a statement that was cancelled because of `statement_timeout`. */
const QUERY_CANCELED = '57014';

/** Reads and writes the table of log entries. */
export class LogStore {
  constructor(
    private readonly orm: Orm,
    private readonly partitions: DailyPartitions,
  ) {}

  /** Stores log entries, and skips entries that are already stored. Returns the number of stored entries. */
  async append(entries: readonly StoredEntry[]): Promise<number> {
    if (entries.length === 0) return 0;
    let stored = 0;
    const rows = JSON.stringify(entries.map(rowOf));
    const times = entries.map(({ at }) => at);
    await this.partitions.writing(times, async (tx) => {
      const [row] = await tx.execute<{ count: number }[]>(INSERT, [rows]);
      stored = row?.count ?? 0;
    });
    return stored;
  }

  /** Returns the newest log entries of a time range, newest first. Undefined if the database exceeds the time limit. */
  slice(selection: LogSelection, slice: Slice): Promise<LogEntry[] | undefined> {
    return withinTime(this.orm, slice.timeoutMs, (tx) => read(tx, selection, slice));
  }

  /** Counts at most `limit` log entries of a time range, newest first. Undefined if the database exceeds the time limit. */
  keys(selection: LogSelection, slice: Slice): Promise<EntryKeys | undefined> {
    return withinTime(this.orm, slice.timeoutMs, (tx) => readKeys(tx, selection, slice));
  }
}

/** Runs `act` in a transaction. Returns undefined if a statement takes longer than `timeoutMs`. */
export async function withinTime<T>(orm: Orm, timeoutMs: number, act: (tx: EntityManager) => Promise<T>): Promise<T | undefined> {
  try {
    return await orm.em.fork().transactional(async (tx) => {
      await tx.execute(`set local statement_timeout = ${Math.max(1, Math.round(timeoutMs))}`);
      return act(tx);
    });
  } catch (error) {
    if (sqlStateOf(error) === QUERY_CANCELED) return undefined;
    throw error;
  }
}

/** Number of counted log entries, and the last counted entry. */
export interface EntryKeys {
  count: number;
  last: { at: Date; id: string } | undefined;
}

/** Returns the SQL condition for the entries of a time range, with its parameter values. */
function conditionOf(
  { organizationId, accounts, serviceIds, levels, tsquery }: LogSelection,
  { from, to, after }: Slice,
): { where: string; values: unknown[] } {
  const conditions = ['"organization_id" = ?', '"at" >= ?', '"at" < ?'];
  const values: unknown[] = [organizationId, from.toISOString(), to.toISOString()];
  const add = (condition: string, ...added: readonly unknown[]): void => {
    conditions.push(condition);
    values.push(...added);
  };
  if (after) add('("at", "id") < (?::timestamptz, ?)', after.at.toISOString(), after.id);
  // the planner must see the single values, so that it knows how many rows they have
  if (serviceIds) add(`"service_id" in (${serviceIds.map(() => '?').join()})`, ...serviceIds);
  if (accounts) add(accounts.length > 0 ? `"account_id" in (${accounts.map(() => '?').join()})` : 'false', ...accounts);
  if (levels) add(`"level" in (${levels.map(severityOf).join()})`);
  if (tsquery) add('"words" @@ ?::tsquery', tsquery);
  return { where: conditions.join(' and '), values };
}

async function read(tx: EntityManager, selection: LogSelection, slice: Slice): Promise<LogEntry[]> {
  const { where, values } = conditionOf(selection, slice);
  const rows = await tx.execute<EntryRow[]>(
    `select "id", "at", "level", "source", "message", "attributes"::text as "attributes", "service_id", "request_id", "trace_id"
     from "monitoring"."log_entry" where ${where} order by "at" desc, "id" desc limit ${slice.limit}`,
    values,
  );
  return rows.map(entryOf);
}

async function readKeys(tx: EntityManager, selection: LogSelection, slice: Slice): Promise<EntryKeys> {
  const { where, values } = conditionOf(selection, slice);
  const rows = await tx.execute<{ at: Date | string; id: string; n: number }[]>(
    `select "at", "id", "n"::int as "n" from (
       select "at", "id", row_number() over (order by "at" desc, "id" desc) as "n" from (
         select "at", "id" from "monitoring"."log_entry" where ${where} order by "at" desc, "id" desc limit ${slice.limit}
       ) newest
     ) numbered order by "n" desc limit 1`,
    values,
  );
  const [last] = rows;
  return { count: last?.n ?? 0, last: last && { at: new Date(last.at), id: last.id } };
}

const INSERT = `with stored as (
    insert into "monitoring"."log_entry"
      ("organization_id", "at", "id", "service_id", "account_id", "level", "source", "message", "attributes", "request_id", "trace_id", "words")
    select e."organization_id", e."at", e."id", e."service_id", e."account_id", e."level", e."source", e."message", e."attributes",
      e."request_id", e."trace_id", e."words"::tsvector
    from json_to_recordset(?::json) as e("organization_id" text, "at" timestamptz, "id" text, "service_id" text, "account_id" text,
      "level" smallint, "source" text, "message" text, "attributes" jsonb, "request_id" text, "trace_id" text, "words" text)
    on conflict do nothing returning 1)
  select count(*)::int as count from stored`;

function rowOf({ organizationId, at, id, serviceId, accountId, level, source, message, attributes, requestId, traceId }: StoredEntry) {
  const ids = { source, ...(requestId && { request_id: requestId }), ...(traceId && { trace_id: traceId }) };
  return {
    organization_id: organizationId,
    at: at.toISOString(),
    id,
    service_id: serviceId,
    account_id: accountId,
    level: severityOf(level),
    source,
    message,
    attributes,
    request_id: requestId,
    trace_id: traceId,
    words: tsvectorOf(message, [...Object.entries(ids), ...fieldsOf(attributes)]),
  };
}

export const entryOf = ({
  at,
  level,
  attributes,
  service_id: serviceId,
  request_id: requestId,
  trace_id: traceId,
  ...row
}: EntryRow): LogEntry => ({
  ...row,
  at: new Date(at),
  level: levelOf(level),
  attributes: JSON.parse(attributes) as Record<string, unknown>,
  serviceId,
  requestId,
  traceId,
});

/** Returns true if the database refuses the data of an entry, so that a retry would fail too. */
export const isDataError = (error: unknown): boolean => /^(22|23|54)/.test(String(sqlStateOf(error)));

function sqlStateOf(error: unknown): unknown {
  const { code, cause } = Object(error) as { code?: unknown; cause?: unknown };
  return code ?? (cause === undefined ? undefined : sqlStateOf(cause));
}
