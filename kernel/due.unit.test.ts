import { afterEach, beforeEach, expect, test, vi } from 'vitest';
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
const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);

beforeEach(() => void vi.useFakeTimers());
afterEach(async () => {
  await sweeper.stop();
  vi.useRealTimers();
});

test('it looks at once and every second, at the instant that the clock shows then', async () => {
  const seen: Date[] = [];
  sweeping(async (now) => seen.push(now) * 0);
  await pass(0);
  clock.advance(HOUR_MS);
  await pass(2000);
  expect(seen).toHaveLength(3);
  expect(Number(seen[1]) - Number(seen[0])).toBe(HOUR_MS + 1000);
  expect(Number(seen[2]) - Number(seen[1])).toBe(1000);
});

test('where a sweep was full the next one follows at once', async () => {
  let due = 25;
  const taken: number[] = [];
  sweeping(async (_, limit) => {
    taken.push(Math.min(due, limit));
    due -= taken.at(-1) ?? 0;
    return taken.at(-1) ?? 0;
  });
  await pass(0);
  expect(taken).toEqual([10, 10, 5]);
});

test('it never overlaps itself, and stopping waits for the sweep under way', async () => {
  let end = () => {};
  const sweep = vi.fn(() => new Promise<number>((resolve) => (end = () => resolve(10))));
  sweeping(sweep);
  await pass(5000);
  expect(sweep).toHaveBeenCalledTimes(1);

  let isStopped = false;
  const stopping = sweeper.stop().then(() => (isStopped = true));
  await pass(1000);
  expect(isStopped).toBe(false);
  end();
  await stopping;
  await pass(5000);
  expect(sweep).toHaveBeenCalledTimes(1);
});

test('one that fails is logged by name and tried again', async () => {
  const sweep = vi.fn<Sweep>().mockRejectedValueOnce(new Error('the database is away')).mockResolvedValue(0);
  sweeping(sweep);
  await pass(1000);
  expect(sweep).toHaveBeenCalledTimes(2);
  expect(logged.map((line) => JSON.parse(line))).toEqual([
    expect.objectContaining({ sweeper: 'test.due', err: expect.objectContaining({ message: 'the database is away' }) }),
  ]);
});
