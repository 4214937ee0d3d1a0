import type { Rows } from './database.ts';

/** Who asks /readyz shows no credentials: however often that is, this is how often a row is written. */
const FRESH_MS = 1_000;

/**
 * Finds out whether a subgraph can write: a server that has become a standby, or whose disk is full, still reads. It commits
 * one row, always the same one, of a table that every subgraph has.
 */
export class WriteProbe {
  #latest: { at: number; running: Promise<unknown> } | undefined;

  constructor(
    private readonly rows: Rows,
    private readonly schema: string,
  ) {}

  /** @throws the driver's error where nothing can be written */
  async check(): Promise<void> {
    const now = performance.now();
    if (!this.#latest || now - this.#latest.at >= FRESH_MS) this.#latest = { at: now, running: this.#write() };
    await this.#latest.running;
  }

  #write(): Promise<unknown> {
    return this.rows.query(
      `insert into "${this.schema}"."inbox" ("event_id", "reaction") values ('readyz', 'readyz')
       on conflict ("event_id", "reaction") do update set "handled_at" = now()`,
      [],
    );
  }
}
