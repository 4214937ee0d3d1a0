import type { Clock } from '../clock.ts';
import type { Logger } from '../log/log.ts';

const EVERY_MS = 1000;

/** One kind of work that is waiting in a database. */
export interface WorkSource {
  /** Identifies the source in log lines, such as `support.sla`. */
  readonly name: string;
  /**
   * SQL query that selects one text, such as an id, for each piece of work. It runs every second, so it must read only
   * the beginning of an index.
   */
  readonly query: string;
  /** Returns the values of the query's parameters `$1`, `$2`, …. It is called for each poll. */
  values?(): readonly unknown[];
  /** Called with the selected texts if the query returns any. */
  found(rows: readonly string[]): void;
  /** The clock that `values` reads, if any. When a test moves the clock, the source is polled immediately. */
  readonly clock?: Clock;
}

/** Runs a statement and returns the values of each row in the order of the columns. */
export type RunStatement = (text: string, values: readonly unknown[]) => Promise<unknown[][]>;

/**
 * Finds the work of all background loops of a process, with one statement per second and database. If each loop polled
 * separately, an idle platform would run one statement per second for each loop.
 * Notifications start most work earlier. The poller finds work with a due time, and work whose notification was lost.
 */
export class WorkPoller {
  readonly #sources = new Map<WorkSource, () => void>();
  #timer: NodeJS.Timeout | undefined;
  #polling: Promise<void> | undefined;
  #isWanted = false;
  #isClosed = false;

  constructor(
    private readonly run: RunStatement,
    private readonly log: Logger,
  ) {}

  /** Adds a source. It is polled until the returned function is called. */
  add(source: WorkSource): () => void {
    this.#sources.set(source, source.clock?.onMoved?.(() => this.pollNow()) ?? (() => undefined));
    if (this.#polling === undefined) this.#pollSoon();
    return () => {
      this.#sources.get(source)?.();
      this.#sources.delete(source);
    };
  }

  /** Polls all sources immediately. */
  pollNow(): void {
    this.#isWanted = true;
    if (this.#isClosed || this.#polling !== undefined) return;
    this.#polling = this.#poll().finally(() => {
      this.#polling = undefined;
      if (this.#isWanted) this.pollNow();
      else this.#pollSoon();
    });
  }

  /** Stops polling. Resolves when the current poll has ended. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    await this.#polling;
  }

  #pollSoon(): void {
    clearTimeout(this.#timer);
    if (!this.#isClosed && this.#sources.size > 0) this.#timer = setTimeout(() => this.pollNow(), EVERY_MS).unref();
  }

  async #poll(): Promise<void> {
    this.#isWanted = false;
    const sources = [...this.#sources.keys()];
    if (sources.length === 0) return;
    try {
      await this.#ask(sources);
    } catch (error) {
      if (isOfStatement(error)) await this.#askEach(sources);
      else if (!this.#isClosed) this.log.error({ err: error }, 'background work could not be polled and will be tried again');
    }
  }

  /** Polls each source separately, so that a locked or broken table does not hide the work of other sources. */
  async #askEach(sources: readonly WorkSource[]): Promise<void> {
    for (const source of sources) {
      try {
        await this.#ask([source]);
      } catch (error) {
        this.log.error({ err: error, source: source.name }, 'background work could not be polled and will be tried again');
      }
    }
  }

  async #ask(sources: readonly WorkSource[]): Promise<void> {
    const { text, values } = combined(sources);
    const rows = await this.run(text, values);
    const found = Map.groupBy(rows, ([index]) => Number(index));
    // skips sources that were removed during the poll
    for (const [index, its] of found) {
      const source = sources[index];
      if (source && this.#sources.has(source)) source.found(its.map(([, text]) => String(text)));
    }
  }
}

/**
 * Combines the queries of all sources into one statement. Each result row contains the index of its source. The text of
 * the statement changes only when sources are added or removed, so that it can be prepared.
 */
function combined(sources: readonly WorkSource[]): { text: string; values: unknown[] } {
  const values: unknown[] = [];
  const selects = sources.map(({ query, values: valuesOf }, index) => {
    const offset = values.length;
    values.push(...(valuesOf?.() ?? []));
    const numbered = query.replace(/\$(\d+)/g, (_, number: string) => `$${offset + Number(number)}`);
    return `select ${index} as source, found::text from (${numbered}) work${index}(found)`;
  });
  return { text: selects.join('\nunion all '), values };
}

/** Returns true if the database refused the statement; false if the database could not be reached. */
const isOfStatement = (error: unknown): boolean => (error as { severity?: string }).severity === 'ERROR';
