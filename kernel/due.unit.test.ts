import { afterEach, expect, test, vi } from 'vitest';
import { TestClock } from './clock.ts';
import { type Sweep, Sweeper } from './due.ts';
import { createLogger } from './log.ts';

const HOUR_MS = 3_600_000;

const logged: string[] = [];
const log = createLogger({ level: 'info', destination: { write: (line) => void logged.push(line) } });
const clock = new TestClock();
let sweeper: Sweeper;

const sweeping = (sweep: Sweep, limit = 10): Sweeper => {
  sweeper = new Sweeper({ name: 'test.due', clock, log, limit }, sweep);
  sweeper.start();
  return sweeper;
};
const pass = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

// no fake timers: a platform of other tests may live in this worker, and its timers would be lost with them
afterEach(() => sweeper.stop());

test('it looks at once and every second, at the instant that the clock shows then', async () => {
  const seen: Date[] = [];
  sweeping(async (now) => seen.push(now) * 0);
  await expect.poll(() => seen.length).toBe(1);
  await expect.poll(() => seen.length, { timeout: 10_000 }).toBe(2);
  expect(Number(seen[1]) - Number(seen[0])).toBeGreaterThan(900);
});

test('a clock that is moved is looked at by the next sweep at once, and by none once it is stopped', async () => {
  const seen: Date[] = [];
  sweeping(async (now) => seen.push(now) * 0);
  await expect.poll(() => seen.length).toBe(1);
  clock.advance(HOUR_MS);
  await expect.poll(() => seen.length, { timeout: 900 }).toBe(2);
  expect(Number(seen[1]) - Number(seen[0])).toBeGreaterThanOrEqual(HOUR_MS);
  await sweeper.stop();
  clock.advance(HOUR_MS);
  await pass(50);
  expect(seen).toHaveLength(2);
});

test('where a sweep was full the next one follows at once', async () => {
  let due = 25;
  const taken: number[] = [];
  sweeping(async (_, limit) => {
    taken.push(Math.min(due, limit));
    due -= taken.at(-1) ?? 0;
    return taken.at(-1) ?? 0;
  });
  await expect.poll(() => taken, { timeout: 900 }).toEqual([10, 10, 5]);
});

test('it never overlaps itself, and stopping waits for the sweep under way', async () => {
  let end = () => {};
  const sweep = vi.fn(() => new Promise<number>((resolve) => (end = () => resolve(10))));
  sweeping(sweep);
  await pass(1500);
  expect(sweep).toHaveBeenCalledTimes(1);

  let isStopped = false;
  const stopping = sweeper.stop().then(() => (isStopped = true));
  await pass(50);
  expect(isStopped).toBe(false);
  end();
  await stopping;
  await pass(1500);
  expect(sweep).toHaveBeenCalledTimes(1);
});

test('one that fails is logged by name and tried again', async () => {
  const sweep = vi.fn<Sweep>().mockRejectedValueOnce(new Error('the database is away')).mockResolvedValue(0);
  sweeping(sweep);
  await expect.poll(() => sweep.mock.calls.length, { timeout: 10_000 }).toBe(2);
  expect(logged.map((line) => JSON.parse(line))).toEqual([
    expect.objectContaining({ sweeper: 'test.due', err: expect.objectContaining({ message: 'the database is away' }) }),
  ]);
});
