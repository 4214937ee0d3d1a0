import { expect, test, vi } from 'vitest';
import { createLogger } from '../log/log.ts';
import { PeriodicFunction } from './periodic-task.ts';

const logged: string[] = [];
const log = createLogger({ level: 'info', destination: { write: (line) => void logged.push(line) } });
const every = (task: () => Promise<void>): PeriodicFunction => {
  const periodic = new PeriodicFunction({ name: 'test.periodic', everyMs: 20, log }, task);
  periodic.start();
  return periodic;
};

const pass = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

test('a periodic task runs again, also after a failed run, until the task is stopped', async () => {
  const task = vi.fn<() => Promise<void>>().mockRejectedValueOnce(new Error('the database is away')).mockResolvedValue();
  const periodic = every(task);
  await expect.poll(() => task.mock.calls.length, { interval: 1 }).toBeGreaterThanOrEqual(3);
  expect(logged.map((line) => JSON.parse(line))).toEqual([
    expect.objectContaining({ task: 'test.periodic', err: expect.objectContaining({ message: 'the database is away' }) }),
  ]);
  await periodic.stop();
  const calls = task.mock.calls.length;
  await pass(100);
  expect(task).toHaveBeenCalledTimes(calls);
});

test('two runs of a periodic task never overlap, and stopping the task waits for the current run', async () => {
  let end = () => {};
  const task = vi.fn(() => new Promise<void>((resolve) => (end = resolve)));
  const periodic = every(task);
  await pass(100);
  expect(task).toHaveBeenCalledTimes(1);

  let isStopped = false;
  const stopping = periodic.stop().then(() => (isStopped = true));
  await pass(50);
  expect(isStopped).toBe(false);
  end();
  await stopping;
});
