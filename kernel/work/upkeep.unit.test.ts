import { expect, test, vi } from 'vitest';
import { createLogger } from '../log/log.ts';
import { Upkeep } from './upkeep.ts';

const logged: string[] = [];
const log = createLogger({ level: 'info', destination: { write: (line) => void logged.push(line) } });
const every = (task: () => Promise<void>): Upkeep => {
  const upkeep = new Upkeep({ name: 'test.upkeep', everyMs: 20, log }, task);
  upkeep.start();
  return upkeep;
};

const pass = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

test('comes every so often, again after a failure, and not once it is stopped', async () => {
  const task = vi.fn<() => Promise<void>>().mockRejectedValueOnce(new Error('the database is away')).mockResolvedValue();
  const upkeep = every(task);
  await expect.poll(() => task.mock.calls.length, { interval: 1 }).toBeGreaterThanOrEqual(3);
  expect(logged.map((line) => JSON.parse(line))).toEqual([
    expect.objectContaining({ upkeep: 'test.upkeep', err: expect.objectContaining({ message: 'the database is away' }) }),
  ]);
  await upkeep.stop();
  const calls = task.mock.calls.length;
  await pass(100);
  expect(task).toHaveBeenCalledTimes(calls);
});

test('never overlaps itself, and stopping waits for what is under way', async () => {
  let end = () => {};
  const task = vi.fn(() => new Promise<void>((resolve) => (end = resolve)));
  const upkeep = every(task);
  await pass(100);
  expect(task).toHaveBeenCalledTimes(1);

  let isStopped = false;
  const stopping = upkeep.stop().then(() => (isStopped = true));
  await pass(50);
  expect(isStopped).toBe(false);
  end();
  await stopping;
});
