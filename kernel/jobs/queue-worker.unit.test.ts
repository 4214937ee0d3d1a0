import type { Job, PgBoss } from 'pg-boss';
import { expect, test } from 'vitest';
import { createLogger } from '../log/log.ts';
import { QueueWorker } from './queue-worker.ts';

const jobOf = (id: string): Job<object> => ({ id, name: 'q', data: {}, expireInSeconds: 60 }) as Job<object>;

/** Creates a queue with some jobs. When jobs are completed, its database fails `failures` times. */
function queueOf(ids: string[], failures: number) {
  const [ran, completed] = [[] as string[], [] as string[]];
  const boss = {
    fetch: async (_: string, { batchSize }: { batchSize: number }) => ids.splice(0, batchSize).map(jobOf),
    complete: async (_: string, done: string[]) => {
      if (failures-- > 0) throw new Error('The database is restarting.');
      completed.push(...done);
    },
    fail: async () => undefined,
    touch: async () => undefined,
  } as unknown as PgBoss;
  const run = async ({ id }: Job<object>): Promise<void> => void ran.push(id);
  return { ran, completed, worker: new QueueWorker({ boss, log: createLogger({ level: 'silent' }), run }, 'q', 4) };
}

test('jobs that ended while the database was restarting are completed afterwards and run once', async () => {
  const ids = Array.from({ length: 10 }, (_, number) => `job-${number}`);
  const { ran, completed, worker } = queueOf([...ids], 1);
  worker.wake();
  await expect.poll(() => completed.length, { timeout: 5_000 }).toBe(10);
  expect([ran.toSorted(), completed.toSorted()]).toEqual([ids, ids]);
  await worker.stop(1_000);
});

test('a worker that was stopped fetches no more jobs', async () => {
  const { ran, worker } = queueOf(['job-1'], 0);
  await worker.stop(1_000);
  worker.wake();
  await new Promise((resolve) => setImmediate(resolve));
  expect(ran).toEqual([]);
});
