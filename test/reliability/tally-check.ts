import { expect } from 'vitest';
import type { Rows } from '../../kernel/database/database.ts';
import type { Tally } from '../../kernel/tally/tally.ts';

/** SQL for the two days in which a row is counted: `-infinity` for all time, and the day of its creation. */
const DAYS = `(values (date '-infinity'), (("created_at" at time zone 'UTC')::date)) as d("day")`;

/** Compares the tallies of a domain with the rows that they count. */
export class TallyCheck {
  constructor(
    private readonly rows: Rows,
    private readonly tallies: readonly Tally[],
  ) {}

  /** Expects that each count is the number of rows. */
  async expectExact(): Promise<void> {
    for (const tally of this.tallies) {
      const { schema, table, of, owners, dimensions } = tally;
      const columns = ['organization_id', ...owners, 'day', ...dimensions].map((column) => `"${column}"`).join(', ');
      const [sums, counts] = [
        `select ${columns}, sum("count")::int as "count" from "${schema}"."${table}" group by ${columns} having sum("count") <> 0 order by ${columns}`,
        `select ${columns}, count(*)::int as "count" from "${schema}"."${of}" cross join lateral ${DAYS} group by ${columns} order by ${columns}`,
      ];
      expect(await this.rows.query(sums, []), table).toEqual(await this.rows.query(counts, []));
    }
  }

  /** Waits until the rows that are older than the tallies are counted. */
  async untilCounted(): Promise<void> {
    for (const { schema, backfill } of this.tallies)
      await this.#untilNone(`select from "${schema}"."backfill" where "name" = '${backfill}'`);
  }

  /** Waits until all appended rows are compacted into sums. */
  async untilCompacted(): Promise<void> {
    for (const { schema, table } of this.tallies) await this.#untilNone(`select from "${schema}"."${table}" where not "folded" limit 1`);
  }

  async #untilNone(text: string): Promise<void> {
    await expect.poll(async () => (await this.rows.query(text, [])).length, { timeout: 30_000, interval: 20 }).toBe(0);
  }
}

/** Runs three writers until `act` has ended. They call `change` with increasing numbers. */
export async function whileChanging(change: (turn: number) => Promise<void>, act: () => Promise<void>): Promise<void> {
  let isOver = false;
  const writers = [0, 1, 2].map(async (writer) => {
    for (let turn = writer; !isOver; turn += 3) {
      await change(turn);
      // the embedded database responds without yielding to the event loop
      await new Promise(setImmediate);
    }
  });
  await act().finally(() => {
    isOver = true;
  });
  await Promise.all(writers);
}
