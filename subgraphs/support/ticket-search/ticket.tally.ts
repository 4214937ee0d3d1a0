import type { Rows } from '../../../kernel/database/database.ts';
import type { Logger } from '../../../kernel/log/log.ts';
import { DAY_MS, dateOf, dayStart } from '../../../kernel/values/days.ts';
import { Pump } from '../../../kernel/work/pump.ts';
import type { WorkPoller } from '../../../kernel/work/work-poller.ts';
import { Parameters } from './parameters.ts';
import type { TicketCriteria } from './ticket.criteria.ts';

/** Its next day has a year of five digits, which is no text of a date any more. */
const LAST_DAY_MS = Date.parse('9999-12-31');
/** How many cells are folded at a time: each is locked for as long as it takes. */
const FOLDED_AT_ONCE = 500;
/** In the order of the index of what is not folded. */
const UNFOLDED = 'select 1 from "support"."ticket_tally" where not "folded" order by "organization_id" limit 1';
const CELL = '"organization_id", "day", "status", "priority", "category", "agent_id"';

/** What the tally knows of a ticket. Who is a customer, or what is affected, is a count of few tickets and needs none. */
export const isTallied = ({ q, accountId, customerId, serviceAffected }: TicketCriteria): boolean =>
  !q && !accountId && !customerId && !serviceAffected;

/**
 * Says how many tickets there are without looking at each: `ticket_tally` has the count of each kind of ticket, of all time and
 * of each day (UTC). Triggers append what changes, in the transaction that changes it; this folds it into sums.
 */
export class TicketTally {
  readonly #pump: Pump;
  #stopPolling: (() => void) | undefined;

  constructor(
    private readonly rows: Rows,
    private readonly poller: WorkPoller,
    log: Logger,
  ) {
    this.#pump = new Pump(async () => (await this.#fold()) >= FOLDED_AT_ONCE, log);
  }

  start(): void {
    this.#stopPolling = this.poller.add({ name: 'support.tally', query: UNFOLDED, found: () => this.#pump.wake() });
    this.#pump.start();
  }

  stop(): Promise<void> {
    this.#stopPolling?.();
    return this.#pump.stop();
  }

  /** Exact. Criteria must be such as `isTallied` says. */
  async count(organizationId: string, criteria: TicketCriteria): Promise<number> {
    const parameters = new Parameters();
    const where = [`"organization_id" = ${parameters.add(organizationId)}`, ...kindOf(criteria, parameters)].join(' and ');
    const { days, edges } = split(criteria, parameters);
    const parts = [
      ...(days ? [`select sum("count") from "support"."ticket_tally" where ${where} and ${days}`] : []),
      ...edges.map((edge) => `select count(*) from "support"."ticket" where ${where} and ${edge}`),
    ];
    const text = `select (${parts.map((part) => `coalesce((${part}), 0)`).join(' + ') || '0'})::int as total`;
    // without days it is a few cells, by the same text for the same members
    const isPrepared = edges.length === 0 && !criteria.createdAfter && !criteria.createdBefore;
    const [row] = await this.rows.tuples(text, parameters.values, { isPrepared });
    return Number(row?.[0] ?? 0);
  }

  /** Several processes may do so at once: a row that one has taken is gone for the other, and two sums of a cell are as good as one. */
  async #fold(): Promise<number> {
    const [row] = await this.rows.query<{ cells: number }>(
      `with news as materialized (select distinct ${CELL} from "support"."ticket_tally" where not "folded" limit ${FOLDED_AT_ONCE}),
        taken as (delete from "support"."ticket_tally" t using news n
          where (t."organization_id", t."day", t."status", t."priority", t."category", t."agent_id")
            = (n."organization_id", n."day", n."status", n."priority", n."category", n."agent_id") returning t.*),
        folded as (insert into "support"."ticket_tally" (${CELL}, "count", "folded")
          select ${CELL}, sum("count"), true from taken group by ${CELL} having sum("count") <> 0)
       select count(*)::int as cells from news`,
      [],
    );
    return row?.cells ?? 0;
  }
}

/** Conditions that hold of a cell as of a ticket. */
function kindOf({ status, priority, category, assignedTo }: TicketCriteria, parameters: Parameters): string[] {
  const wanted = { status, priority, category, agent_id: assignedTo };
  return Object.entries(wanted).flatMap(([column, values]) => (values ? [`"${column}" = any(${parameters.add(values)}::text[])`] : []));
}

/** Whole days come from the tally, what is left of the first and the last one from the tickets themselves. */
function split({ createdAfter: from, createdBefore: to }: TicketCriteria, parameters: Parameters): { days?: string; edges: string[] } {
  const instant = (date: Date) => `${parameters.add(date)}::timestamptz`;
  if (!from && !to) return { days: `"day" = '-infinity'`, edges: [] };
  const first = from && new Date(Math.ceil(from.getTime() / DAY_MS) * DAY_MS);
  const last = to && dayStart(to);
  if (first && first.getTime() > LAST_DAY_MS)
    return { edges: [`"created_at" >= ${instant(from)}${to ? ` and "created_at" < ${instant(to)}` : ''}`] };
  if (first && last && first >= last) return { edges: [`"created_at" >= ${instant(from)} and "created_at" < ${instant(to)}`] };
  const day = (date: Date) => `${parameters.add(dateOf(date))}::date`;
  return {
    days: [`"day" > '-infinity'`, ...(first ? [`"day" >= ${day(first)}`] : []), ...(last ? [`"day" < ${day(last)}`] : [])].join(' and '),
    edges: [
      ...(first && from < first ? [`"created_at" >= ${instant(from)} and "created_at" < ${instant(first)}`] : []),
      ...(last && last < to ? [`"created_at" >= ${instant(last)} and "created_at" < ${instant(to)}`] : []),
    ],
  };
}
