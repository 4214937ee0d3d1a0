import type { Parameters } from '../lists/parameters.ts';
import type { ColumnValues, RowFilter } from '../lists/row-filter.ts';
import { DAY_MS, dateOf, dayStart } from '../values/days.ts';
import { countedName, type Tally, tallyName } from './tally.ts';

/** The last date whose year has four digits. A later date has no ISO 8601 text that the database accepts. */
const LAST_DAY_MS = Date.parse('9999-12-31');
/**
 * Maximum length of a range for which `sumOfDays` always adds the counts of the days. The alternative is to subtract all other days from
 * the all-time count. For a short range, planning the alternative takes longer than it saves.
 */
const SHORT_MS = 31 * DAY_MS;

/**
 * Returns the SQL expression for the number of rows that match a filter, from the counts of a tally. `first` is the
 * tally of the same table without owners. The values of `parameters` are still empty.
 */
export function sumOf(tally: Tally, first: Tally, filter: RowFilter, parameters: Parameters): { text: string; isPrepared: boolean } {
  const { organizationId, values, createdAfter, createdBefore } = filter;
  const where = [`"organization_id" = ${parameters.add(organizationId)}`, ...conditionsOf(values, parameters)].join(' and ');
  const { days, edges } = split(filter, parameters);
  const sum = (condition: string) => `(select sum("count") from ${tallyName(tally)} where ${where} and ${condition})`;
  const parts = [
    ...(days ? [sumOfDays(days, sum, first)] : []),
    ...edges.map((edge) => `(select count(*) from ${countedName(tally)} where ${where} and ${edge})`),
  ];
  return {
    text: parts.map((part) => `coalesce(${part}, 0)`).join(' + ') || '0',
    // the statement can be prepared if there is no range of time: its text then depends only on which columns are set
    isPrepared: !createdAfter && !createdBefore,
  };
}

/** Returns the SQL conditions for columns that the tally and the counted table have in common. */
const conditionsOf = (values: ColumnValues, parameters: Parameters): string[] =>
  Object.entries(values).flatMap(([column, allowed]) => (allowed ? [`"${column}" = any(${parameters.add(allowed)}::text[])`] : []));

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
 * the SQL subtracts the other days from the all-time count, which is faster. The first day of the organization is read
 * from the tally `whole`.
 */
function sumOfDays({ first, last, isShort }: Days, sum: (condition: string) => string, whole: Tally): string {
  const [allTime, ofDays] = [`"day" = '-infinity'`, `"day" > '-infinity'`];
  if (!first && !last) return sum(allTime);
  const inside = sum([ofDays, ...(first ? [`"day" >= ${first}`] : []), ...(last ? [`"day" < ${last}`] : [])].join(' and '));
  if (isShort) return inside;
  const outside = [...(first ? [`"day" < ${first}`] : []), ...(last ? [`"day" >= ${last}`] : [])].map(
    (condition) => `coalesce(${sum(`${ofDays} and ${condition}`)}, 0)`,
  );
  const length = `least(${last ?? 'current_date'}, current_date) - greatest(${first ?? 'b."begin"'}, b."begin")`;
  const isMost = `(select (${length}) * 2 > current_date - b."begin"
    from (select min("day") as "begin" from ${tallyName(whole)} where "organization_id" = $1 and ${ofDays}) b)`;
  return `case when ${isMost} then ${sum(allTime)} - ${outside.join(' - ')} else ${inside} end`;
}

/**
 * Splits a range of creation times into whole days (UTC) and the rest. Rows of the whole days are in the tally. The rest
 * is at most two parts of days, whose rows are counted one by one; `edges` contains an SQL condition for each part.
 */
function split({ createdAfter: from, createdBefore: to }: RowFilter, parameters: Parameters): { days?: Days; edges: string[] } {
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
