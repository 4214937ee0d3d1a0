import { setTimeout as delay } from 'node:timers/promises';
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

/** Creates a queue whose jobs take `ms`, in which jobs become due while the worker runs. It records when fetches found jobs. */
function busyQueueOf(options: { ms: number; concurrency: number; together: boolean; isPressed?: () => boolean }) {
  const state = { due: [] as string[], handled: [] as string[][], running: 0, most: 0, fetchedAt: [] as number[], endedAt: 0 };
  const boss = {
    fetch: async (_: string, { batchSize }: { batchSize: number }) => {
      const found = state.due.splice(0, batchSize);
      if (found.length > 0) state.fetchedAt.push(performance.now());
      return found.map(jobOf);
    },
    complete: async () => undefined,
    fail: async () => undefined,
    touch: async () => undefined,
  } as unknown as PgBoss;
  const run = async (jobs: readonly Job<object>[]): Promise<void> => {
    state.handled.push(jobs.map(({ id }) => id));
    state.running += 1;
    state.most = Math.max(state.most, state.running);
    await delay(options.ms);
    state.endedAt = performance.now();
    state.running -= 1;
  };
  const together = options.together ? () => 'all' : undefined;
  const log = createLogger({ level: 'silent' });
  const worker = new QueueWorker({ boss, log, run, together, isPressed: options.isPressed }, 'q', options.concurrency);
  const add = (id: string): void => {
    state.due.push(id);
    worker.wake();
  };
  return { state, add, worker };
}

test('jobs that become due while a group is handled are handled together after it', async () => {
  const { state, add, worker } = busyQueueOf({ ms: 400, concurrency: 4, together: true });
  for (const [id, count] of [
    ['first', 1],
    ['second', 2],
  ] as const) {
    await expect.poll(() => state.running).toBe(0);
    add(id);
    await expect.poll(() => state.handled.length).toBe(count);
  }
  for (const id of ['a', 'b', 'c']) {
    add(id);
    await delay(20);
  }
  await expect.poll(() => state.handled.flat().length).toBe(5);
  expect(state.handled).toEqual([['first'], ['second'], ['a', 'b', 'c']]);
  await worker.stop(1_000);
});

test('jobs that a fetch had to leave behind are fetched at once, however long the jobs before them took', async () => {
  const { state, add, worker } = busyQueueOf({ ms: 250, concurrency: 1, together: true });
  state.due.push(...Array.from({ length: 60 }, (_, number) => `job-${number}`));
  add('last');
  await expect.poll(() => state.fetchedAt.length, { timeout: 5_000 }).toBe(2);
  const [, second = 0] = state.fetchedAt;
  expect(state.handled.map(({ length }) => length).slice(0, 2)).toEqual([TOGETHER_MAX, TOGETHER_MAX]);
  expect(second - state.endedAt).toBeLessThan(300);
  await worker.stop(1_000);
  expect(state.handled.flat()).toHaveLength(61);
});

test('a worker that rests is stopped without waiting for the end of its rest', async () => {
  const options = { ms: 600, concurrency: 4, together: true };
  const { state, add, worker } = busyQueueOf(options);
  add('first');
  await expect.poll(() => state.endedAt).toBeGreaterThan(0);
  options.ms = 1;
  add('second');
  await expect.poll(() => state.fetchedAt.length).toBe(2);
  add('third');
  await expect.poll(() => state.running).toBe(0);
  const began = performance.now();
  await worker.stop(5_000);
  expect(performance.now() - began).toBeLessThan(300);
  expect(state.handled).toEqual([['first'], ['second']]);
});

test('while requests come first, a quarter of the jobs of a queue runs at the same time, and afterwards all of them', async () => {
  let isPressed = true;
  const { state, add, worker } = busyQueueOf({ ms: 30, concurrency: 8, together: false, isPressed: () => isPressed });
  for (let number = 0; number < 20; number += 1) add(`job-${number}`);
  await expect.poll(() => state.handled.length).toBeGreaterThanOrEqual(6);
  expect(state.most).toBe(2);
  isPressed = false;
  await expect.poll(() => state.handled.length).toBe(20);
  expect(state.most).toBeGreaterThan(2);
  await worker.stop(1_000);
});

test('all jobs that were fetched start, also if requests come first since then', async () => {
  const { state, add, worker } = busyQueueOf({ ms: 50, concurrency: 8, together: false, isPressed: () => state.fetchedAt.length > 0 });
  state.due.push(...Array.from({ length: 7 }, (_, number) => `job-${number}`));
  add('last');
  await expect.poll(() => state.handled.length).toBe(8);
  expect(state.most).toBe(8);
  await worker.stop(1_000);
});

test('groups that were fetched while requests came first start within seconds afterwards, also if none of the running groups ends', async () => {
  let isPressed = true;
  const { state, add, worker } = busyQueueOf({ ms: 6_000, concurrency: 4, together: true, isPressed: () => isPressed });
  state.due.push(...Array.from({ length: TOGETHER_MAX + 1 }, (_, number) => `job-${number}`));
  add('last');
  await expect.poll(() => state.running).toBe(1);
  isPressed = false;
  await expect.poll(() => state.running, { timeout: 5_500 }).toBe(2);
  await worker.stop(1);
});

test('a queue that may run one job at a time runs it also while requests come first', async () => {
  const { state, add, worker } = busyQueueOf({ ms: 1, concurrency: 1, together: false, isPressed: () => true });
  for (let number = 0; number < 5; number += 1) add(`job-${number}`);
  await expect.poll(() => state.handled.length).toBe(5);
  await worker.stop(1_000);
});
