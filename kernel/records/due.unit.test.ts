import { afterEach, expect, test, vi } from 'vitest';
import { TestClock } from '../clock.ts';
import { createLogger } from '../log/log.ts';
import type { WorkSource } from '../work/work-poller.ts';
import { type Sweep, Sweeper } from './due.ts';

const HOUR_MS = 3_600_000;

const logged: string[] = [];
const log = createLogger({ level: 'info', destination: { write: (line) => void logged.push(line) } });
const clock = new TestClock();
let sweeper: Sweeper;

/** The source that the sweeper registered; undefined while the sweeper is stopped. */
let source: WorkSource | undefined;
const poller = {
  add(added: WorkSource) {
    source = added;
    return () => {
      source = undefined;
    };
  },
};

const sweeping = (sweep: Sweep, limit = 10): Sweeper => {
  sweeper = new Sweeper({ name: 'test.due', clock, log, limit, poller, query: 'select 1 where now() <= $1' }, sweep);
  sweeper.start();
  return sweeper;
};
const pass = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

// fake timers would also replace the timers of a platform that other tests run in this worker
afterEach(() => sweeper.stop());

test('a sweeper runs at start and whenever the poller finds due rows', async () => {
  const seen: Date[] = [];
  sweeping(async (now) => seen.push(now) * 0);
  await expect.poll(() => seen.length).toBe(1);
  clock.advance(HOUR_MS);
  expect(Number(source?.values?.()[0]) - Number(seen[0])).toBeGreaterThanOrEqual(HOUR_MS);
  source?.found(['1']);
  await expect.poll(() => seen.length).toBe(2);
  expect(Number(seen[1]) - Number(seen[0])).toBeGreaterThanOrEqual(HOUR_MS);
});

test('a stopped sweeper does not run when the poller finds due rows', async () => {
  const sweep = vi.fn<Sweep>().mockResolvedValue(0);
  sweeping(sweep);
  const last = source;
  await expect.poll(() => sweep.mock.calls.length).toBe(1);
  await sweeper.stop();
  expect(source).toBeUndefined();
  last?.found(['1']);
  await pass(50);
  expect(sweep).toHaveBeenCalledTimes(1);
});

test('after a sweep that processed a full batch, the next sweep starts immediately', async () => {
  let due = 25;
  const taken: number[] = [];
  sweeping(async (_, limit) => {
    taken.push(Math.min(due, limit));
    due -= taken.at(-1) ?? 0;
    return taken.at(-1) ?? 0;
  });
  await expect.poll(() => taken, { timeout: 900 }).toEqual([10, 10, 5]);
});

test('two sweeps never run at the same time, and stopping the sweeper waits for the running sweep', async () => {
  let end = () => {};
  const sweep = vi.fn(() => new Promise<number>((resolve) => (end = () => resolve(10))));
  sweeping(sweep);
  source?.found(['1']);
  await pass(50);
  expect(sweep).toHaveBeenCalledTimes(1);

  let isStopped = false;
  const stopping = sweeper.stop().then(() => (isStopped = true));
  await pass(50);
  expect(isStopped).toBe(false);
  end();
  await stopping;
  await pass(50);
  expect(sweep).toHaveBeenCalledTimes(1);
});

test('a failed sweep is logged with the name of its sweeper and retried', async () => {
  const sweep = vi.fn<Sweep>().mockRejectedValueOnce(new Error('the database is away')).mockResolvedValue(0);
  sweeping(sweep);
  await expect.poll(() => sweep.mock.calls.length, { timeout: 10_000 }).toBe(2);
  expect(logged.map((line) => JSON.parse(line))).toEqual([
    expect.objectContaining({ sweeper: 'test.due', err: expect.objectContaining({ message: 'the database is away' }) }),
  ]);
});
