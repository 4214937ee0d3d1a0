import type { Job, PgBoss } from 'pg-boss';
import { expect, test } from 'vitest';
import { createLogger } from '../log/log.ts';
import { QueueWorker, TOGETHER_MAX } from './queue-worker.ts';

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
  const run = async (jobs: readonly Job<object>[]): Promise<void> => void ran.push(...jobs.map(({ id }) => id));
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

/** Creates a queue whose jobs are handled together if their ids have the same first letter. Jobs whose id contains `!` fail. */
function groupedQueueOf(ids: string[]) {
  const [handled, completed, failed] = [[] as string[][], [] as string[], [] as string[]];
  const boss = {
    fetch: async (_: string, { batchSize }: { batchSize: number }) =>
      ids.splice(0, batchSize).map((id) => ({ ...jobOf(id), data: { group: id[0] } })),
    complete: async (_: string, done: string[]) => void completed.push(...done),
    fail: async (_: string, jobs: string[]) => void failed.push(...jobs),
    touch: async () => undefined,
  } as unknown as PgBoss;
  const run = async (jobs: readonly Job<object>[]): Promise<void> => {
    handled.push(jobs.map(({ id }) => id));
    if (jobs.some(({ id }) => id.includes('!'))) throw new Error('This job always fails.');
  };
  const together = (data: object): string | undefined => {
    const { group } = data as { group: string };
    return group === '-' ? undefined : group;
  };
  const worker = new QueueWorker({ boss, log: createLogger({ level: 'silent' }), run, together }, 'q', 1);
  return { handled, completed, failed, worker };
}

test('due jobs of the same group are handled together in the order in which they were enqueued, and jobs without a group alone', async () => {
  const { handled, completed, worker } = groupedQueueOf(['a1', 'b1', '-1', 'a2', '-2', 'b2', 'a3']);
  worker.wake();
  await expect.poll(() => completed.length).toBe(7);
  expect(handled).toEqual([['a1', 'a2', 'a3'], ['b1', 'b2'], ['-1'], ['-2']]);
  await worker.stop(1_000);
});

test('a group has at most as many jobs as may be handled together', async () => {
  const ids = Array.from({ length: TOGETHER_MAX * 2 + 3 }, (_, number) => `a${number}`);
  const { handled, completed, worker } = groupedQueueOf([...ids]);
  worker.wake();
  await expect.poll(() => completed.length).toBe(ids.length);
  expect(handled.flat()).toEqual(ids);
  expect(handled.map(({ length }) => length)).toEqual([TOGETHER_MAX, TOGETHER_MAX, 3]);
  await worker.stop(1_000);
});

test('if a group fails, each of its jobs is handled alone and only the jobs with an error are retried', async () => {
  const { handled, completed, failed, worker } = groupedQueueOf(['a1', 'a!', 'a2', 'b1']);
  worker.wake();
  await expect.poll(() => completed.length + failed.length).toBe(4);
  expect(handled).toEqual([['a1', 'a!', 'a2'], ['a1'], ['a!'], ['a2'], ['b1']]);
  expect([completed.toSorted(), failed]).toEqual([['a1', 'a2', 'b1'], ['a!']]);
  await worker.stop(1_000);
});

test('a worker that is stopped handles the jobs that it has fetched', async () => {
  const { handled, completed, worker } = groupedQueueOf(['a1', 'b1', 'c1']);
  worker.wake();
  await new Promise((resolve) => setImmediate(resolve));
  await worker.stop(1_000);
  expect(completed.toSorted()).toEqual(['a1', 'b1', 'c1']);
  expect(handled).toHaveLength(3);
});
