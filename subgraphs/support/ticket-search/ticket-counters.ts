import { Backfill, type Position } from '../../../kernel/database/backfill.ts';
import type { EntityManager, Orm, Rows } from '../../../kernel/database/database.ts';
import type { Logger } from '../../../kernel/log/log.ts';
import { DAY_MS, dateOf, dayStart } from '../../../kernel/values/days.ts';
import { WorkLoop } from '../../../kernel/work/work-loop.ts';
import type { WorkPoller } from '../../../kernel/work/work-poller.ts';
import { Parameters } from './parameters.ts';
import type { TicketCriteria } from './ticket-criteria.ts';

/** The last date whose year has four digits. A later date has no ISO 8601 text that the database accepts. */
const LAST_DAY_MS = Date.parse('9999-12-31');
/**
 * Ranges of at most this length are always computed as the sum of their days (`sumOf`). For such a short range,
 * subtracting the other days from the all-time count would save less time than its planning takes.
 */
const SHORT_MS = 31 * DAY_MS;
/** Maximum number of cells per compaction. Each cell is locked while the compaction runs. */
const COMPACTED_AT_ONCE = 500;

/**
 * A table of ticket counts, and the columns that identify a cell: a combination of values with one count. Each ticket
 * is counted in two cells: one for all time, and one for the day (UTC) of its creation.
 */
interface CounterTable {
  table: string;
  cell: readonly string[];
}
const KIND = ['day', 'status', 'priority', 'category', 'agent_id'];
const OF_DESK: CounterTable = { table: '"support"."ticket_tally"', cell: ['organization_id', ...KIND] };
/**
 * Counters by account and customer. For a ticket without an account or a customer, the column `account_id` or
 * `customer_id` contains an empty string.
 */
const OF_ACCOUNTS: CounterTable = {
  table: '"support"."ticket_account_tally"',
  cell: ['organization_id', 'account_id', 'customer_id', ...KIND],
};

const columnsOf = ({ cell }: CounterTable, row?: string): string => cell.map((name) => (row ? `${row}."${name}"` : `"${name}"`)).join(', ');
/**
 * Returns an SQL query that returns a row if there are rows to compact. Because of its `order by`, the query uses the
 * index of these rows.
 */
const uncompactedOf = ({ table }: CounterTable): string => `select 1 from ${table} where not "folded" order by "organization_id" limit 1`;

/** Adds tickets that are older than migration 0018 to the counters by account. */
export const accountCountersBackfill = (deps: { orm: Orm; log: Logger }): Backfill => new Backfill(deps, 'account-tally', recount);

/**
 * Counts the tickets of the next organization after `from`. Returns the position of this organization, or null after
 * the last organization.
 */
async function recount(tx: EntityManager, from: Position): Promise<Position> {
  const [next] = await tx.execute<{ organization_id: string }[]>(
    'select "organization_id" from "support"."ticket" where "organization_id" > ? order by 1 limit 1',
    [from?.[0] ?? ''],
  );
  if (!next) return null;
  // turns off the timeout of statements, because counting the tickets may take longer
  await tx.execute('set local statement_timeout = 0');
  await tx.execute('select "support"."recount_account_tally"(?)', [next.organization_id]);
  return [next.organization_id];
}

/**
 * Counts tickets without reading each ticket. The table `ticket_tally` contains the number of tickets of each kind, for
 * all time and for each day (UTC). The table `ticket_account_tally` contains these numbers for each account and
 * customer. Triggers append every change, in the transaction of the change. This class compacts the appended rows into
 * sums.
 */
export class TicketCounters {
  readonly #loop: WorkLoop;
  readonly #stopPolling: (() => void)[] = [];

  constructor(
    private readonly rows: Rows,
    private readonly poller: WorkPoller,
    /** Backfill of the counters by account, which are incomplete until it is done. */
    private readonly accounts: Backfill,
    log: Logger,
  ) {
    this.#loop = new WorkLoop(async () => {
      const compacted = [await this.#compact(OF_DESK), this.accounts.isDone ? await this.#compact(OF_ACCOUNTS) : 0];
      return Math.max(...compacted) >= COMPACTED_AT_ONCE;
    }, log);
  }

  start(): void {
    this.accounts.start();
    for (const [name, counterTable] of Object.entries({ 'support.tally': OF_DESK, 'support.account-tally': OF_ACCOUNTS }))
      this.#stopPolling.push(this.poller.add({ name, query: uncompactedOf(counterTable), found: () => this.#loop.wake() }));
    this.#loop.start();
  }

  async stop(): Promise<void> {
    for (const stop of this.#stopPolling.splice(0)) stop();
    await Promise.all([this.#loop.stop(), this.accounts.stop()]);
  }

  /**
   * Returns whether the counters can count the tickets that match the criteria. They cannot for `serviceAffected`: a
   * service has only few tickets, which are counted one by one.
   */
  supports({ q, accountId, customerId, serviceAffected }: TicketCriteria): boolean {
    return !q && !serviceAffected && (this.accounts.isDone || (!accountId && !customerId));
  }

  /** Returns the number of tickets that match the criteria. `supports` must be true for the criteria. */
  async count(organizationId: string, criteria: TicketCriteria): Promise<number> {
    const { table } = criteria.accountId || criteria.customerId ? OF_ACCOUNTS : OF_DESK;
    const parameters = new Parameters();
    const where = [`"organization_id" = ${parameters.add(organizationId)}`, ...kindOf(criteria, parameters)].join(' and ');
    const { days, edges } = split(criteria, parameters);
    const parts = [
      ...(days ? [sumOf(days, (condition) => `(select sum("count") from ${table} where ${where} and ${condition})`)] : []),
      ...edges.map((edge) => `(select count(*) from "support"."ticket" where ${where} and ${edge})`),
    ];
    const text = `select (${parts.map((part) => `coalesce(${part}, 0)`).join(' + ') || '0'})::int as total`;
    // the statement can be prepared if there is no range of time: its text then depends only on which criteria are set
    const isPrepared = edges.length === 0 && !criteria.createdAfter && !criteria.createdBefore;
    const [row] = await this.rows.tuples(text, parameters.values, { isPrepared });
    return Number(row?.[0] ?? 0);
  }

  /**
   * Replaces appended rows by one sum per cell. Several processes may do this at the same time, because each row is
   * deleted by only one process. A cell may then have several sums. They are added when the cell is read.
   */
  async #compact(counterTable: CounterTable): Promise<number> {
    const { table } = counterTable;
    const cell = columnsOf(counterTable);
    const [row] = await this.rows.query<{ cells: number }>(
      `with news as materialized (select distinct ${cell} from ${table} where not "folded" limit ${COMPACTED_AT_ONCE}),
        taken as (delete from ${table} t using news n where (${columnsOf(counterTable, 't')}) = (${columnsOf(counterTable, 'n')}) returning t.*),
        folded as (insert into ${table} (${cell}, "count", "folded")
          select ${cell}, sum("count"), true from taken group by ${cell} having sum("count") <> 0)
       select count(*)::int as cells from news`,
      [],
    );
    return row?.cells ?? 0;
  }
}

/** Returns the SQL conditions for columns that the counter tables and the ticket table have in common. */
function kindOf(criteria: TicketCriteria, parameters: Parameters): string[] {
  const { accountId, customerId, status, priority, category, assignedTo } = criteria;
  const wanted = { account_id: accountId, customer_id: customerId, status, priority, category, agent_id: assignedTo };
  return Object.entries(wanted).flatMap(([column, values]) => (values ? [`"${column}" = any(${parameters.add(values)}::text[])`] : []));
}

/**
 * A range of days as SQL dates; `first` is inclusive, `last` is exclusive. If `first` or `last` is null, the range has
 * no beginning or no end.
 */
interface Days {
  first: string | null;
  last: string | null;
  isShort: boolean;
}

/**
 * Returns SQL for the sum over a range of days. `$1` must be the id of the organization. If the range covers most days,
 * the SQL subtracts the other days from the all-time count, which is faster.
 */
function sumOf({ first, last, isShort }: Days, sum: (condition: string) => string): string {
  const [allTime, ofDays] = [`"day" = '-infinity'`, `"day" > '-infinity'`];
  if (!first && !last) return sum(allTime);
  const inside = sum([ofDays, ...(first ? [`"day" >= ${first}`] : []), ...(last ? [`"day" < ${last}`] : [])].join(' and '));
  if (isShort) return inside;
  const outside = [...(first ? [`"day" < ${first}`] : []), ...(last ? [`"day" >= ${last}`] : [])].map(
    (condition) => `coalesce(${sum(`${ofDays} and ${condition}`)}, 0)`,
  );
  const length = `least(${last ?? 'current_date'}, current_date) - greatest(${first ?? 'b."begin"'}, b."begin")`;
  const isMost = `(select (${length}) * 2 > current_date - b."begin"
    from (select min("day") as "begin" from ${OF_DESK.table} where "organization_id" = $1 and ${ofDays}) b)`;
  return `case when ${isMost} then ${sum(allTime)} - ${outside.join(' - ')} else ${inside} end`;
}

/**
 * Splits a range of time into whole days, which are counted by the counters, and the parts of the first and last day,
 * whose tickets are counted.
 */
function split({ createdAfter: from, createdBefore: to }: TicketCriteria, parameters: Parameters): { days?: Days; edges: string[] } {
  const instant = (date: Date) => `${parameters.add(date)}::timestamptz`;
  const first = from && new Date(Math.ceil(from.getTime() / DAY_MS) * DAY_MS);
  const last = to && dayStart(to);
  if (first && first.getTime() > LAST_DAY_MS)
    return { edges: [`"created_at" >= ${instant(from)}${to ? ` and "created_at" < ${instant(to)}` : ''}`] };
  if (first && last && first >= last) return { edges: [`"created_at" >= ${instant(from)} and "created_at" < ${instant(to)}`] };
  const day = (date: Date | null | undefined) => (date ? `${parameters.add(dateOf(date))}::date` : null);
  return {
    days: { first: day(first), last: day(last), isShort: Boolean(first && Number(last ?? Date.now()) - first.getTime() <= SHORT_MS) },
    edges: [
      ...(first && from < first ? [`"created_at" >= ${instant(from)} and "created_at" < ${instant(first)}`] : []),
      ...(last && last < to ? [`"created_at" >= ${instant(last)} and "created_at" < ${instant(to)}`] : []),
    ],
  };
}
