import type { Orm } from '../../../kernel/database/database.ts';
import { severityOf } from './log.states.ts';
import { type EntryRow, entryOf, type LogSelection, withinTime } from './log.store.ts';
import type { LogEntry } from './log.types.ts';

/** Maximum number of entries that one read returns for one selection. */
export const READ_MAX = 100;

/** New entries of one selection. */
export interface NewEntries {
  /** The newest samples, oldest first. */
  entries: LogEntry[];
  /** Number of all new samples. */
  total: number;
}

/** Position in the order in which entries become visible: the oldest transaction that had not ended. */
export type LogPosition = bigint;

/** The log entries that a subscriber receives. */
export interface TailSelection extends LogSelection {
  /**
   * Snapshot of the database whose entries are left out, as PostgreSQL writes it. The position alone is not exact, because a transaction
   * that began after it may have ended before the subscriber came. Null if no entries are left out.
   */
  except: string | null;
}

/** Reads the entries of transactions that have ended since the last read. */
export class LogTailStore {
  constructor(private readonly orm: Orm) {}

  /** Returns the present position, and the snapshot of all entries that are visible now. */
  async now(): Promise<{ head: LogPosition; snapshot: string }> {
    const [row] = await this.orm.em
      .fork()
      .execute<{ head: string; snapshot: string }[]>(
        'select pg_snapshot_xmin(s)::text as "head", s::text as "snapshot" from pg_current_snapshot() s',
      );
    if (!row) throw new Error('The database returned no snapshot.');
    return { head: BigInt(row.head), snapshot: row.snapshot };
  }

  /**
   * Returns the entries from a position to the present one, for each selection. Only entries of about a day before `now` are
   * read: others cannot be stored any more. Undefined if the database needs more than `timeoutMs`.
   */
  async read(
    selections: readonly TailSelection[],
    from: LogPosition,
    now: Date,
    timeoutMs: number,
  ): Promise<{ head: LogPosition; found: NewEntries[] } | undefined> {
    const wanted = selections.map(({ organizationId, accounts, serviceIds, levels, tsquery, except }, n) => ({
      ...{ n, organization_id: organizationId, accounts, service_ids: serviceIds, except },
      levels: levels?.map(severityOf) ?? null,
      query: tsquery,
    }));
    const rows = await withinTime(this.orm, timeoutMs, (tx) =>
      tx.execute<Row[]>(READ, [JSON.stringify(wanted), String(from), now.toISOString()]),
    );
    if (!rows) return undefined;
    const bySelection = Map.groupBy(rows, ({ n }) => n);
    return {
      head: BigInt(rows[0]?.head ?? from),
      found: selections.map((_, n) => {
        const its = bySelection.get(n) ?? [];
        return { entries: its.map(({ n: _n, head: _head, total: _total, ...row }) => entryOf(row)), total: its[0]?.total ?? 0 };
      }),
    };
  }
}

interface Row extends EntryRow {
  head: string;
  n: number | null;
  total: number;
}

/** The parameters are the selections, the start (inclusive), and now. The conditions are those of a search. */
const READ = `
  with "head" as materialized (
    select pg_snapshot_xmin(pg_current_snapshot()) as "head"
  ), "wanted" as materialized (
    select * from json_to_recordset(?::json) as w("n" int, "organization_id" text, "accounts" text[], "service_ids" text[],
      "levels" smallint[], "query" tsquery, "except" pg_snapshot)
  ), "new" as materialized (
    select e.* from "monitoring"."log_entry" e
    where e."stored_by" >= ?::text::xid8 and e."stored_by" < (select "head" from "head")
      and e."at" > ?::timestamptz - interval '25 hours' and e."organization_id" in (select "organization_id" from "wanted")
  ), "matching" as (
    select w."n", e."id", e."at", e."level", e."source", e."message", e."attributes"::text as "attributes", e."service_id", e."request_id",
      e."trace_id", count(*) over (partition by w."n")::int as "total",
      row_number() over (partition by w."n" order by e."at" desc, e."id" desc) as "rank"
    from "wanted" w join "new" e on e."organization_id" = w."organization_id"
      and (w."accounts" is null or e."account_id" = any(w."accounts"))
      and (w."service_ids" is null or e."service_id" = any(w."service_ids"))
      and (w."levels" is null or e."level" = any(w."levels"))
      and (w."query" is null or e."words" @@ w."query")
      and (w."except" is null or not pg_visible_in_snapshot(e."stored_by", w."except"))
  )
  select h."head"::text as "head", m."n", m."total", m."id", m."at", m."level", m."source", m."message", m."attributes", m."service_id",
    m."request_id", m."trace_id"
  from "head" h left join "matching" m on m."rank" <= ${READ_MAX} order by m."n", m."at", m."id"`;
