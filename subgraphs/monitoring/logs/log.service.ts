import { createHash } from 'node:crypto';
import type { RecordScope } from '../../../kernel/access/principal.ts';
import type { Clock } from '../../../kernel/clock.ts';
import { InvalidParameters } from '../../../kernel/errors/errors.ts';
import { PAGE_SIZE_DEFAULT } from '../../../kernel/graphql/page.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../kernel/values/days.ts';
import { isStorable } from '../../../kernel/values/text.ts';
import type { ServiceAccounts } from '../services/service-accounts.ts';
import type { LogFilter, LogQuery, LogTailArgs } from './log.inputs.ts';
import type { EntryKeys, LogSelection, LogStore } from './log.store.ts';
import { COUNTED_MAX, type LogCount, type LogEntry, type LogPage, type LogTailMessage } from './log.types.ts';
import { type LogTerm, parseLogQuery, tsqueryOf } from './log-query.ts';
import type { LogTail } from './log-tail.ts';

/** Time after which a log search returns the entries that it has found so far. */
const BUDGET_MS = 2_000;
/** Time after which the counting of log entries stops. */
const COUNT_BUDGET_MS = 500;
/** Time limit of one search statement. A slice of time whose statement takes longer is divided. */
const STATEMENT_MS = 1_000;
/** Length of the newest slice of time in a search. Each further slice is twice as long as the previous slice. */
const FIRST_SLICE_MS = HOUR_MS;
/** Number of parts into which a slice is divided if its statement takes too long. */
const DIVISOR = 16;
const SHORTEST_SLICE_MS = 1_000;
/** Maximum time by which the clocks of senders may be ahead. The default end of the searched range includes this time. */
export const AHEAD_MS = 5 * MINUTE_MS;
const DEFAULT_RANGE_MS = DAY_MS;

export interface LogServiceDeps {
  store: LogStore;
  tail: LogTail;
  services: ServiceAccounts;
  scope: RecordScope;
  clock: Clock;
}

/** Position of a log search: the last returned entry, and the start of the searched range. */
interface Position {
  at: Date;
  id: string;
  from: Date;
}

/** Searches the log entries that the caller may see (specification 4.6), newest first. */
export class LogService {
  constructor(private readonly deps: LogServiceDeps) {}

  /**
   * Follows new entries, from now on or after the position of a message.
   * @throws InvalidParameters if `after` is not a position
   */
  follow({ after, ...conditions }: LogTailArgs): Promise<AsyncIterableIterator<LogTailMessage>> {
    const { organizationId, accounts } = this.deps.scope;
    return this.deps.tail.follow({ organizationId, accounts, ...conditionsOf(conditions) }, after ?? null);
  }

  /** Searches the log entries about one service. Null if the caller may not see the service. */
  async ofService(serviceId: string, filter: LogFilter): Promise<LogPage | null> {
    const { services, scope } = this.deps;
    if (!(await services.find(scope, [serviceId])).has(serviceId)) return null;
    return this.search({ ...filter, serviceIds: [serviceId] });
  }

  /**
   * Searches log entries in slices of time, from the newest to the oldest, until the page is full or the time budget ends. Slices grow, so
   * a frequent word is found in a short slice, and a rare word needs few statements.
   * @throws InvalidParameters if the cursor belongs to another search, or the page cannot be found within the time budget
   */
  async search(query: LogQuery): Promise<LogPage> {
    const { store, scope, clock } = this.deps;
    const limit = query.perPage ?? query.limit ?? PAGE_SIZE_DEFAULT;
    const page = query.page ?? 1;
    const digest = digestOf(query);
    const cursor = query.cursor ? decode(query.cursor, digest) : null;
    const to = query.to ?? new Date(clock.now().getTime() + AHEAD_MS);
    const from = cursor?.from ?? query.from ?? new Date((query.to ?? clock.now()).getTime() - DEFAULT_RANGE_MS);
    const selection: LogSelection = { ...scope, ...conditionsOf(query) };
    const deadline = performance.now() + BUDGET_MS;
    const offset = (page - 1) * limit;
    const position = cursor ?? (offset > 0 ? await this.#before(selection, { from, to }, offset, deadline) : null);
    const found: LogEntry[] = [];
    let end = from;
    if (position !== undefined) {
      const start = position && position.at < to ? new Date(position.at.getTime() + 1) : to;
      end = await slices({ from, to: start }, deadline, async (slice) => {
        const entries = await store.slice(selection, { ...slice, after: position, limit: limit + 1 - found.length });
        found.push(...(entries ?? []));
        return entries && found.length > limit;
      });
    }
    const nodes = found.slice(0, limit);
    const isFull = found.length > limit;
    const isEarly = !isFull && end > from;
    const last = nodes.at(-1);
    const next = isFull && last ? { at: last.at, id: last.id, from } : isEarly ? { at: end, id: '', from } : null;
    const known = found.length > 0 ? offset + found.length : 0;
    const isWhole = !cursor && next === null && (offset === 0 || nodes.length > 0);
    let counted: Promise<LogCount> | undefined;
    const count = (): Promise<LogCount> => {
      counted ??= isWhole ? Promise.resolve({ total: known, isExact: true }) : this.#count(selection, { from, to }, cursor ? 0 : known);
      return counted;
    };
    const scannedUntil = isEarly ? end : null;
    return { nodes, pageInfo: { limit, page, hasMore: next !== null, nextCursor: next && encode(next, digest), scannedUntil, count } };
  }

  /** Returns the entry after which a page begins, if the page skips `offset` entries. Undefined if there are fewer entries. */
  async #before(selection: LogSelection, range: TimeRange, offset: number, deadline: number): Promise<Position | undefined> {
    let passed = 0;
    let last: EntryKeys['last'];
    const until = await slices(range, deadline, async (slice) => {
      const part = await this.deps.store.keys(selection, { ...slice, after: null, limit: offset - passed });
      passed += part?.count ?? 0;
      last = part?.last ?? last;
      return part && passed === offset;
    });
    if (passed === offset && last) return { ...last, from: range.from };
    if (until > range.from) throw new InvalidParameters([{ field: 'page', reason: 'takes too long to find; use a cursor' }]);
    return undefined;
  }

  /** Counts log entries until the limit or the time budget is reached. The caller knows that there are at least `known` entries. */
  async #count(selection: LogSelection, range: TimeRange, known: number): Promise<LogCount> {
    let total = 0;
    const end = await slices(range, performance.now() + COUNT_BUDGET_MS, async (slice) => {
      const part = await this.deps.store.keys(selection, { ...slice, after: null, limit: COUNTED_MAX + 1 - total });
      total += part?.count ?? 0;
      return part && total > COUNTED_MAX;
    });
    return { total: Math.min(COUNTED_MAX, Math.max(total, known)), isExact: total <= COUNTED_MAX && end <= range.from };
  }
}

type Conditions = Pick<LogQuery, 'query' | 'serviceIds' | 'levels' | 'requestId' | 'traceId'>;

/** A range of time from `from` (inclusive) to `to` (exclusive). */
interface TimeRange {
  from: Date;
  to: Date;
}

/**
 * Calls `read` for slices of a time range, from the newest to the oldest, until `read` returns true or the time budget is used up. If
 * `read` returns undefined, the slice took too long and is divided. Returns the start of the range that was read.
 */
async function slices(
  { from, to }: TimeRange,
  deadline: number,
  read: (slice: TimeRange & { timeoutMs: number }) => Promise<boolean | undefined>,
): Promise<Date> {
  let end = to;
  let length = FIRST_SLICE_MS;
  while (end > from) {
    const leftMs = deadline - performance.now();
    if (leftMs <= 0) break;
    const start = new Date(Math.max(from.getTime(), end.getTime() - length));
    const isEnough = await read({ from: start, to: end, timeoutMs: Math.min(STATEMENT_MS, leftMs) });
    if (isEnough === undefined) length = Math.max(SHORTEST_SLICE_MS, Math.min(length, end.getTime() - start.getTime()) / DIVISOR);
    else {
      end = start;
      length *= 2;
      if (isEnough) break;
    }
  }
  return end;
}

function conditionsOf({ query, serviceIds, levels, requestId, traceId }: Conditions): Omit<LogSelection, keyof RecordScope> {
  const parsed = parseLogQuery(query ?? '');
  const ids = Object.entries({ request_id: requestId, trace_id: traceId }).filter(([, value]) => value);
  const terms = ids.map(([field, value]): LogTerm => ({ field, value: value as string, isNegated: false }));
  return {
    serviceIds: serviceIds?.length ? serviceIds : null,
    levels: levels?.length ? levels : null,
    tsquery: tsqueryOf([...('terms' in parsed ? parsed.terms : []), ...terms]),
  };
}

/** Returns a hash of the search conditions. A cursor contains this hash, so that it cannot be used for another search. */
const digestOf = ({ query, serviceIds, levels, from, to, requestId, traceId }: LogQuery): string =>
  createHash('sha256')
    .update(JSON.stringify([query || null, serviceIds ?? [], levels ?? [], from ?? null, to ?? null, requestId ?? null, traceId ?? null]))
    .digest('base64url')
    .slice(0, 8);

const encode = ({ at, id, from }: Position, digest: string): string =>
  Buffer.from(JSON.stringify([digest, at.getTime(), id, from.getTime()])).toString('base64url');

function decode(cursor: string, digest: string): Position {
  try {
    const [owner, at, id, from] = JSON.parse(Buffer.from(cursor, 'base64url').toString()) as unknown[];
    const isTime = (value: unknown): value is number => Number.isInteger(value) && Math.abs(value as number) < TIME_MAX;
    if (owner === digest && isTime(at) && isTime(from) && typeof id === 'string' && isStorable(id))
      return { at: new Date(at), id, from: new Date(from) };
  } catch {
    // an unreadable cursor gets the same error as a cursor of another search
  }
  throw new InvalidParameters([
    { field: 'cursor', value: cursor, reason: 'is not a cursor of this list and sort order; start again without a cursor' },
  ]);
}

/** Start of the year 9999 in milliseconds since 1970. It is the largest time that both PostgreSQL and ISO 8601 can represent. */
const TIME_MAX = Date.UTC(9999, 0);
