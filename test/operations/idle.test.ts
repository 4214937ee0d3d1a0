import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { eventually, start } from '../rig.ts';
import { ownDatabase } from '../support/own-database.ts';

const WINDOW_MS = 5_000;
const STATEMENTS_PER_SECOND = 5;
const PATIENCE_MS = 120_000;

test.runIf(process.env.TEST_DATABASE_URL)(
  "an idle platform runs at most five SQL statements per second according to PostgreSQL's statistics",
  async () => {
    const url = new URL((await ownDatabase()) ?? '');
    const running = await start({ DATABASE_URL: url.href });
    onTestFinished(() => running.close());
    // connected to another database, so that its own statements are not counted
    const observer = new pg.Client({ connectionString: process.env.TEST_DATABASE_URL });
    await observer.connect();
    onTestFinished(() => observer.end());

    const committed = async (): Promise<{ count: number; at: number }> => {
      const { rows } = await observer.query<{ count: string }>(
        'select xact_commit + xact_rollback as count from pg_stat_database where datname = $1',
        [url.pathname.slice(1)],
      );
      return { count: Number(rows[0]?.count), at: performance.now() };
    };
    const rates: number[] = [];
    // PostgreSQL counts the statements of the start with a delay, so that only the quietest window counts.
    // A polling loop would be in every window.
    const rate = await eventually(async () => {
      const before = await committed();
      await new Promise((resolve) => setTimeout(resolve, WINDOW_MS));
      const after = await committed();
      rates.push((1000 * (after.count - before.count)) / (after.at - before.at));
      return (rates.at(-1) ?? Number.POSITIVE_INFINITY) <= STATEMENTS_PER_SECOND && rates;
    }, PATIENCE_MS).catch(() => rates);
    expect(Math.min(...rate)).toBeLessThanOrEqual(STATEMENTS_PER_SECOND);
    // the platform polls, so a count of zero would mean that the test measured another database
    await eventually(async () => (await committed()).count > 0);
  },
  PATIENCE_MS + 60_000,
);
