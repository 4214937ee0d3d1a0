import { z } from 'zod';
import type { Principal } from '../../../kernel/access/principal.ts';
import type { Clock } from '../../../kernel/clock.ts';
import { refuse } from '../../../kernel/errors/errors.ts';
import { MAX_JSON } from '../../../kernel/graphql/max-json.ts';
import type { Metrics } from '../../../kernel/metrics/metrics.ts';
import { DAY_MS } from '../../../kernel/values/days.ts';
import { isStorable, unstorableIn } from '../../../kernel/values/text.ts';
import type { ServiceAccounts } from '../services/service-accounts.ts';
import { AHEAD_MS } from './log.service.ts';
import { LogLevel } from './log.states.ts';
import type { LogStore } from './log.store.ts';
import { MESSAGE_MAX } from './log.types.ts';
import { REFERENCE_MAX, storedEntryOf } from './stored-entry.ts';

/** Maximum number of log entries in one request. */
export const ENTRIES_MAX = 1_000;
/** Maximum number of refused log entries that a response lists. */
export const LISTED_MAX = 100;
/** Maximum age of a log entry. Older entries are refused, because entries are deleted by their time. */
const AGE_MAX_MS = DAY_MS;

const bytes = (max: number, value: unknown): boolean => Buffer.byteLength(typeof value === 'string' ? value : JSON.stringify(value)) <= max;
const text = (max: number) => z.string().min(1).max(max).refine(isStorable, 'has a character that cannot be stored');

/** One log entry in a request. */
const sentEntry = z.strictObject({
  message: z.string().min(1, 'must not be empty').refine(isStorable, 'has a character that cannot be stored'),
  level: z.enum(LogLevel).default(LogLevel.INFO),
  at: z.iso.datetime({ offset: true, error: 'must be an ISO 8601 timestamp such as 2026-01-31T09:30:00Z' }).optional(),
  service_id: text(REFERENCE_MAX).optional(),
  attributes: z.record(z.string(), z.unknown()).default({}),
  request_id: text(REFERENCE_MAX).optional(),
  trace_id: text(REFERENCE_MAX).optional(),
  id: text(64).optional(),
});
type SentEntry = z.output<typeof sentEntry>;

export type RefusalCode = 'invalid_entry' | 'too_large' | 'too_old' | 'in_future' | 'service_not_found';

/** A log entry that was not stored, with the reason. */
export interface Refusal {
  /** Index of the entry in the request, from 0. */
  index: number;
  code: RefusalCode;
  reason: string;
}

export interface IngestionResult {
  accepted: number;
  duplicates: number;
  refused: Refusal[];
  refused_total: number;
}

export interface LogIngestionDeps {
  store: LogStore;
  services: ServiceAccounts;
  clock: Clock;
  metrics?: Metrics | undefined;
}

/**
 * Returns the entries in the body of a request.
 * @throws InvalidParameters if the body does not have a list of 1 to `ENTRIES_MAX` entries
 */
export function sentEntriesOf(body: unknown): readonly unknown[] {
  const { entries, ...others } = Object(body) as { entries?: unknown };
  const isList = Array.isArray(entries) && entries.length > 0 && entries.length <= ENTRIES_MAX;
  refuse([
    ...(isList ? [] : [{ field: 'entries', reason: `must be a list of 1 to ${ENTRIES_MAX} entries` }]),
    ...Object.keys(others)
      .slice(0, 20)
      .map((field) => ({ field, reason: 'is not a field of this request' })),
  ]);
  return entries as unknown[];
}

/** Stores log entries that clients send. The response is sent after the accepted entries are stored. */
export class LogIngestion {
  constructor(private readonly deps: LogIngestionDeps) {}

  /** Stores log entries. An entry that cannot be stored is refused, and the others are stored. */
  async ingest(sent: readonly unknown[], principal: Principal): Promise<IngestionResult> {
    const { store, services, clock, metrics } = this.deps;
    const now = clock.now();
    const refused: Refusal[] = [];
    const valid: (SentEntry & { index: number })[] = [];
    for (const [index, entry] of sent.entries()) {
      const parsed = sentEntry.safeParse(entry);
      const problem = parsed.success ? problemOf(parsed.data, now) : { code: 'invalid_entry' as const, reason: reasonOf(parsed.error) };
      if (problem) refused.push({ index, ...problem });
      else valid.push({ ...(parsed.data as SentEntry), index });
    }
    const accounts = await services.find(
      principal,
      valid.flatMap(({ service_id: id }) => (id ? [id] : [])),
    );
    const count = { redacted: 0 };
    const entries = valid.flatMap(({ index, service_id: serviceId, ...entry }) => {
      const accountId = (serviceId && accounts.get(serviceId)) || null;
      const reason = serviceId
        ? accountId === null && 'service_id is not a service of yours'
        : principal.accounts !== null && 'service_id is required, because your access is limited to some accounts';
      if (reason) refused.push({ index, code: 'service_not_found', reason });
      if (reason) return [];
      const { organizationId } = principal;
      const { message, level, attributes, at, id: key, request_id: requestId, trace_id: traceId } = entry;
      const line = { organizationId, source: 'ingest', message, level, attributes, requestId, traceId, serviceId, key };
      return [storedEntryOf({ ...line, accountId, at: at ? new Date(at) : now }, count)];
    });
    const accepted = await store.append(entries);
    metrics?.logLines.inc({ outcome: 'stored' }, accepted);
    if (count.redacted > 0) metrics?.logRedactions.inc(count.redacted);
    return {
      accepted,
      duplicates: entries.length - accepted,
      refused: refused.sort((one, other) => one.index - other.index).slice(0, LISTED_MAX),
      refused_total: refused.length,
    };
  }
}

function problemOf({ message, attributes, at, id }: SentEntry, now: Date): Omit<Refusal, 'index'> | undefined {
  if (!bytes(MESSAGE_MAX, message)) return { code: 'too_large', reason: `message must have at most ${MESSAGE_MAX / 1024} KiB` };
  if (!bytes(MAX_JSON, attributes)) return { code: 'too_large', reason: `attributes must have at most ${MAX_JSON / 1024} KiB as JSON` };
  const unstorable = unstorableIn(attributes, 'attributes');
  if (unstorable !== undefined) return { code: 'invalid_entry', reason: `${unstorable} cannot be stored` };
  if (id !== undefined && at === undefined)
    return { code: 'invalid_entry', reason: 'at is required with id: it is part of what identifies the entry' };
  const ageMs = at === undefined ? 0 : now.getTime() - Date.parse(at);
  if (ageMs > AGE_MAX_MS) return { code: 'too_old', reason: 'at must be within the last 24 hours' };
  if (ageMs < -AHEAD_MS) return { code: 'in_future', reason: `at must be at most ${AHEAD_MS / 60_000} minutes in the future` };
  return undefined;
}

function reasonOf({ issues: [issue] }: z.ZodError): string {
  const { path = [], message = 'is not valid' } = issue ?? {};
  return `${path.join('.') || 'the entry'}: ${message}`.slice(0, 300);
}
