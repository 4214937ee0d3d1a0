import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Database } from '../../kernel/database.ts';
import { Jobs } from '../../kernel/jobs.ts';
import { createLogger } from '../../kernel/log.ts';
import { migration } from '../../kernel/migration.ts';
import { eventually } from '../rig.ts';
import { emptyDatabase } from '../support/empty-database.ts';

let database: Database;
let drop: () => Promise<void>;
beforeAll(async () => {
  ({ database, drop } = await emptyDatabase(createLogger({ level: 'silent' })));
});
afterAll(() => drop());

test('jobs that fall due together are worked off one after the other, without a wait for the next poll between them', async () => {
  const jobs = new Jobs(database, createLogger({ level: 'silent' }));
  const done: number[] = [];
  jobs.define<{ index: number }>('test.backlog', async ({ index }) => void done.push(index), { concurrency: 1 });
  await jobs.start();
  const { orm } = await database.attach({ schema: 'backlog', entities: [], migrations: [migration('0001', ['select 1'])] });
  const startAfter = new Date(Date.now() + 3_600_000);
  for (let index = 0; index < 40; index += 1) {
    await orm.em.fork().transactional((tx) => jobs.enqueue(tx, 'test.backlog', { index }, { startAfter }));
  }
  await jobs.shiftClock(3_700_000);
  // by polls alone it would be 80 s
  await eventually(() => done.length === 40, 30_000);
  expect(new Set(done).size).toBe(40);
  await jobs.stop();
});
