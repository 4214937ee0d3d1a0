import type { Clock } from '../../../kernel/clock.ts';
import type { Logger } from '../../../kernel/log/log.ts';
import type { LogLine } from '../../../kernel/log/organization-log.ts';
import type { Metrics } from '../../../kernel/metrics/metrics.ts';
import { MINUTE_MS } from '../../../kernel/values/days.ts';
import type { ServiceAccounts } from '../services/service-accounts.ts';
import { isDataError, type LogStore, type StoredEntry } from './log.store.ts';
import { type CompleteLine, storedEntryOf } from './stored-entry.ts';

/** Time for which log lines are collected before they are stored together. */
const FLUSH_MS = 250;
const RETRY_MS = 3_000;
const BATCH = 500;
/** Maximum number of waiting log lines. Further lines are dropped, so that a slow database does not increase memory use. */
const WAITING_MAX = 5_000;
/** Maximum size of the texts of all waiting log lines, in characters. The size is approximate. */
const CHARACTERS_MAX = 8 * 1024 * 1024;
/**
 * Maximum number of log lines that the platform writes for an organization per minute, so that a client in a loop does not fill the table.
 * The maximum is about 1 GB a day.
 */
const PER_MINUTE_MAX = 600;

export interface LogWriterDeps {
  store: LogStore;
  services: ServiceAccounts;
  clock: Clock;
  log: Logger;
  metrics?: Metrics | undefined;
}

/**
 * Stores the log lines of the platform in batches, in the background. `write` only adds the line to a bounded list. If the database is
 * unavailable, lines wait, and are dropped when the list is full.
 */
export class LogWriter {
  #waiting: CompleteLine[] = [];
  #characters = 0;
  #minute = 0;
  /** Number of log lines of each organization in the current minute. */
  readonly #counts = new Map<string, number>();
  /** Number of dropped log lines of each organization since the last batch. */
  readonly #lost = new Map<string, number>();
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> = Promise.resolve();
  #isStopped = false;

  constructor(private readonly deps: LogWriterDeps) {}

  /** Adds a log line. Never throws, and never waits for the database. */
  write(line: LogLine): void {
    const size = line.message.length + sizeOf(line.attributes);
    if (!this.#mayWrite(line.organizationId) || this.#waiting.length >= WAITING_MAX || this.#characters + size > CHARACTERS_MAX) {
      this.#lost.set(line.organizationId, (this.#lost.get(line.organizationId) ?? 0) + 1);
      this.deps.metrics?.logLines.inc({ outcome: 'lost' });
      return;
    }
    this.#characters += size;
    this.#waiting.push({ ...line, at: line.at ?? this.deps.clock.now(), accountId: null });
    this.#timer ??= setTimeout(() => void this.flush(), FLUSH_MS).unref();
  }

  /** Stores the waiting log lines. If this fails, the lines wait for the next attempt. */
  flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#writing = this.#writing.then(() => this.#writeAll());
    return this.#writing;
  }

  async #writeAll(): Promise<void> {
    this.#reportLost();
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.slice(0, BATCH);
      try {
        await this.#store(this.#entriesOf(await this.#completed(batch)));
      } catch (error) {
        this.deps.log.warn({ err: error, lines: this.#waiting.length }, 'log entries could not be stored and will be stored later');
        if (!this.#isStopped) this.#timer ??= setTimeout(() => void this.flush(), RETRY_MS).unref();
        return;
      }
      this.#waiting = this.#waiting.slice(batch.length);
      this.#characters = this.#waiting.reduce((sum, line) => sum + line.message.length + sizeOf(line.attributes), 0);
    }
  }

  /** Stores the waiting log lines for the last time. Lines that cannot be stored now are dropped. */
  stop(): Promise<void> {
    this.#isStopped = true;
    return this.flush();
  }

  /** Converts log lines to entries. A line that cannot be converted is left out, so that the other lines are stored. */
  #entriesOf(lines: readonly CompleteLine[]): StoredEntry[] {
    const { log, metrics } = this.deps;
    const count = { redacted: 0 };
    const entries = lines.flatMap((line) => {
      try {
        return [storedEntryOf(line, count)];
      } catch (error) {
        log.error({ err: error, source: line.source }, 'a log entry cannot be stored');
        return [];
      }
    });
    if (count.redacted > 0) metrics?.logRedactions.inc(count.redacted);
    return entries;
  }

  /** Stores log entries. If the database refuses the data of an entry, only this entry is left out. */
  async #store(entries: readonly StoredEntry[]): Promise<void> {
    const { store, log, metrics } = this.deps;
    try {
      await store.append(entries);
      metrics?.logLines.inc({ outcome: 'stored' }, entries.length);
    } catch (error) {
      if (!isDataError(error)) throw error;
      if (entries.length === 1) return log.error({ err: error, source: entries[0]?.source }, 'a log entry cannot be stored');
      const half = Math.ceil(entries.length / 2);
      await this.#store(entries.slice(0, half));
      await this.#store(entries.slice(half));
    }
  }

  /** Adds the account of each service to the log lines. If the organization does not have a service, its id is removed from the line. */
  async #completed(batch: readonly CompleteLine[]): Promise<CompleteLine[]> {
    const named = new Map<string, string[]>();
    for (const { organizationId, serviceId } of batch)
      if (serviceId) named.set(organizationId, [...(named.get(organizationId) ?? []), serviceId]);
    const accounts = new Map<string, string>();
    for (const [organizationId, ids] of named)
      for (const [id, account] of await this.deps.services.find({ organizationId, accounts: null }, ids))
        accounts.set(`${organizationId} ${id}`, account);
    return batch.map((line) => ({ ...line, accountId: accounts.get(`${line.organizationId} ${line.serviceId}`) ?? null }));
  }

  /** Counts a log line of an organization. Returns false if the organization has reached the maximum for this minute. */
  #mayWrite(organizationId: string): boolean {
    const minute = Math.floor(performance.now() / MINUTE_MS);
    if (minute !== this.#minute) {
      this.#minute = minute;
      this.#counts.clear();
    }
    const count = (this.#counts.get(organizationId) ?? 0) + 1;
    this.#counts.set(organizationId, count);
    return count <= PER_MINUTE_MAX;
  }

  /** Adds a line to the log of each organization whose lines were dropped. */
  #reportLost(): void {
    for (const [organizationId, lines] of this.#lost)
      this.#waiting.push({
        organizationId,
        level: 'warn',
        source: 'log',
        message: `${lines} entries are missing here, because there were too many at once.`,
        attributes: { missing: lines },
        at: this.deps.clock.now(),
        accountId: null,
      });
    this.#lost.clear();
  }
}

/** Returns the approximate size of the attributes of a log line, in characters. The attributes contain no nested objects. */
const sizeOf = (attributes: LogLine['attributes']): number =>
  Object.values(attributes ?? {}).reduce<number>((sum, value) => sum + (typeof value === 'string' ? value.length : 16), 0);
