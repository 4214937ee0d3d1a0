import type { RecordScope } from '../../../kernel/access/principal.ts';
import type { Rows } from '../../../kernel/database/database.ts';

/** Counts of the tickets of one category that were created on one day. */
export interface Cell {
  category: string;
  /** Date on which the tickets were created, in the requested time zone. */
  day: string;
  opened: number;
  /** Number of these tickets that are resolved now. */
  resolved: number;
  /** Sum of the times from creation to resolution, over all resolved tickets. */
  resolutionSeconds: number;
  /** Number of tickets that missed their response or resolution target, resolved or not. */
  breached: number;
  escalated: number;
  /** Number of resolved tickets that have at most one reply of support staff and were never reopened. */
  firstContact: number;
  rated: number;
  /** Number of tickets with a rating of 4 or 5. */
  satisfied: number;
}

export type Sums = Omit<Cell, 'category' | 'day'>;

/**
 * Criteria for the tickets that are counted. `start` and `end` limit the time of creation: `start` is inclusive, `end`
 * is exclusive.
 */
export interface Cohort {
  start: Date;
  end: Date;
  timezone: string;
  customerIds?: readonly string[];
  categories?: readonly string[];
  priorities?: readonly string[];
  /** Only tickets about these services. */
  serviceIds?: readonly string[];
}

const FIRST_CONTACT = `count(*) filter (where t."status" = 'resolved'
    and not exists (select from "support"."ticket_change" c
      where c."ticket_id" = t."id" and c."member" = 'status' and c."from" = '"resolved"')
    and (select count(*) from "support"."comment" c
      where c."ticket_id" = t."id" and c."visibility" = 'customer' and c."author" ->> 'type' = 'agent') <= 1)`;

/**
 * Counts tickets that were created in a period. The counts depend on the current state of these tickets. The dashboard
 * and the reports use the same counts, so their numbers agree.
 */
export class Figures {
  constructor(
    private readonly rows: Rows,
    private readonly scope: RecordScope,
  ) {}

  /**
   * Returns counts by category and day. `firstContact` is counted only if `withTimeline` is true, because the count
   * reads the changes and comments of each ticket. Otherwise `firstContact` is 0.
   */
  async cells(cohort: Cohort, { withTimeline = false } = {}): Promise<Cell[]> {
    const { organizationId, accounts } = this.scope;
    const values: unknown[] = [organizationId, cohort.start, cohort.end, cohort.timezone];
    const lists = {
      customer_id: cohort.customerIds,
      category: cohort.categories,
      priority: cohort.priorities,
      service_affected: cohort.serviceIds,
    };
    const conditions = Object.entries(lists).flatMap(([column, wanted]) =>
      wanted?.length ? [`t."${column}" = any($${values.push(wanted)}::text[])`] : [],
    );
    if (accounts) conditions.push(`t."account_id" = any($${values.push(accounts)}::text[])`);
    return this.rows.query<Cell>(
      `select t."category", to_char(t."created_at" at time zone $4, 'YYYY-MM-DD') as "day",
         count(*)::int as "opened",
         count(t."resolved_at")::int as "resolved",
         coalesce(sum(extract(epoch from t."resolved_at" - t."created_at")), 0)::float8 as "resolutionSeconds",
         count(coalesce(t."response_breached_at", t."resolution_breached_at"))::int as "breached",
         (count(*) filter (where t."escalation_level" > 0 or t."status" = 'escalated'))::int as "escalated",
         ${withTimeline ? `(${FIRST_CONTACT})::int` : '0'} as "firstContact",
         count(f."rating")::int as "rated",
         (count(*) filter (where f."rating" >= 4))::int as "satisfied"
       from "support"."ticket" t
       left join "support"."feedback" f on f."ticket_id" = t."id" and f."organization_id" = t."organization_id" and f."created_at" >= $2
       where t."organization_id" = $1 and t."created_at" >= $2 and t."created_at" < $3 ${conditions.map((one) => `and ${one}`).join(' ')}
       group by 1, 2`,
      values,
    );
  }
}

const NOTHING: Sums = {
  opened: 0,
  resolved: 0,
  resolutionSeconds: 0,
  breached: 0,
  escalated: 0,
  firstContact: 0,
  rated: 0,
  satisfied: 0,
};

/** Returns the sum of each count over all cells. */
export function sumOf(cells: readonly Sums[]): Sums {
  const sums = { ...NOTHING };
  for (const cell of cells) for (const name of Object.keys(NOTHING) as (keyof Sums)[]) sums[name] += cell[name];
  return sums;
}

/** Groups cells by the key that `keyOf` returns. The groups are sorted by key. */
export function groupedBy(cells: readonly Cell[], keyOf: (cell: Cell) => string): [string, Cell[]][] {
  const groups = new Map<string, Cell[]>();
  for (const cell of cells) {
    const key = keyOf(cell);
    const group = groups.get(key);
    if (group) group.push(cell);
    else groups.set(key, [cell]);
  }
  return [...groups].sort(([one], [other]) => (one < other ? -1 : 1));
}

const SECONDS_AN_HOUR = 3600;
const hundredths = (value: number): number => Math.round(value * 100) / 100;
const percent = (part: number, whole: number): number | null => (whole > 0 ? hundredths((100 * part) / whole) : null);

/** Returns the average hours from creation to resolution; null if no ticket is resolved. */
export const averageResolutionHours = ({ resolved, resolutionSeconds }: Sums): number | null =>
  resolved > 0 ? hundredths(resolutionSeconds / resolved / SECONDS_AN_HOUR) : null;
/** Returns the percentage of tickets that have not missed an SLA target; null if there are no tickets. */
export const slaCompliance = ({ opened, breached }: Sums): number | null => percent(opened - breached, opened);
/** Returns the percentage of ratings that are 4 or 5; null if there are no ratings. */
export const customerSatisfaction = ({ rated, satisfied }: Sums): number | null => percent(satisfied, rated);
/** Returns the percentage of tickets that were escalated; null if there are no tickets. */
export const escalationRate = ({ opened, escalated }: Sums): number | null => percent(escalated, opened);
/**
 * Returns the percentage of resolved tickets that were resolved at first contact (see `firstContact`); null if no
 * ticket is resolved.
 */
export const firstContactResolution = ({ resolved, firstContact }: Sums): number | null => percent(firstContact, resolved);
