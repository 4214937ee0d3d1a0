import type { Rows } from './database.ts';

/** Time for which the result of a check is reused. Anyone can call /readyz, so this limits how often a check writes a row. */
const FRESH_MS = 1_000;

/**
 * Checks that a subgraph can write to its database. A server that became a standby or has a full disk can still read,
 * but not write. The check always writes the same row, in a table that every subgraph has.
 */
export class WriteProbe {
  #latest: { at: number; running: Promise<unknown> } | undefined;

  constructor(
    private readonly rows: Rows,
    private readonly schema: string,
  ) {}

  /**
   * Writes a row, or reuses the result of a check in the last second.
   * @throws Error of the driver if the database cannot be written
   */
  async check(): Promise<void> {
    const now = performance.now();
    if (!this.#latest || now - this.#latest.at >= FRESH_MS) this.#latest = { at: now, running: this.write() };
    await this.#latest.running;
  }

  /**
   * Writes a row.
   * @throws Error of the driver if the database cannot be written
   */
  write(): Promise<unknown> {
    return this.rows.query(
      `insert into "${this.schema}"."inbox" ("event_id", "reaction") values ('readyz', 'readyz')
       on conflict ("event_id", "reaction") do update set "handled_at" = now()`,
      [],
    );
  }
}
