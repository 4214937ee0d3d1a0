import type { Clock } from '../clock.ts';
import type { Logger } from '../log/log.ts';

const EVERY_MS = 1000;

/** One kind of work that waits in a database. */
export interface WorkSource {
  /** Names its log lines, such as `support.sla`. */
  readonly name: string;
  /** Selects one text, such as an id, for each piece of work. It runs every second: it reads the beginnings of indexes only. */
  readonly query: string;
  /** Values of its parameters `$1`, `$2`, …, asked for at each poll. */
  values?(): readonly unknown[];
  /** Receives what the query selected, unless that is nothing. */
  found(rows: readonly string[]): void;
  /** The clock that `values` reads, if any: when it is moved the source is polled at once. */
  readonly clock?: Clock;
}

/** Runs a statement and returns the values of each row in the order of the columns. */
export type RunStatement = (text: string, values: readonly unknown[]) => Promise<unknown[][]>;

/**
 * Finds the work of every background loop of a process by one statement per second and database. Each loop that polled for
 * itself would cost a statement per second of a platform that has nothing to do. What a NOTIFY tells of is worked on sooner;
 * this finds what falls due at a point in time, and what a lost notification left.
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

  /** Polls a source until the returned function is called. */
  add(source: WorkSource): () => void {
    this.#sources.set(source, source.clock?.onMoved?.(() => this.pollNow()) ?? (() => undefined));
    if (this.#polling === undefined) this.#pollSoon();
    return () => {
      this.#sources.get(source)?.();
      this.#sources.delete(source);
    };
  }

  /** Polls without waiting for the second to pass. */
  pollNow(): void {
    this.#isWanted = true;
    if (this.#isClosed || this.#polling !== undefined) return;
    this.#polling = this.#poll().finally(() => {
      this.#polling = undefined;
      if (this.#isWanted) this.pollNow();
      else this.#pollSoon();
    });
  }

  /** Resolves when the poll that is under way has ended; none begins after. */
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

  /** One by one: a table that is locked or broken must not hide the work of the others. */
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
    // a source that was removed meanwhile has stopped
    for (const [index, its] of found) {
      const source = sources[index];
      if (source && this.#sources.has(source)) source.found(its.map(([, text]) => String(text)));
    }
  }
}

/** One statement of all: each row says which source it is of. The text changes only with the sources, so that it can be prepared. */
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

/** Whether the database refused the statement; else it could not be asked at all. */
const isOfStatement = (error: unknown): boolean => (error as { severity?: string }).severity === 'ERROR';
