import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { OneByOne } from './one-by-one.ts';

const COUNT = 50;

test('tasks that begin together run one at a time and in order, and the event loop serves other work between them', async () => {
  const tasks = new OneByOne();
  let inFlight = 0;
  let most = 0;
  let turns = 0;
  let isDone = false;
  const turn = (): void => {
    turns += 1;
    if (!isDone) setImmediate(turn);
  };
  setImmediate(turn);
  const seen = await Promise.all(
    Array.from({ length: COUNT }, (_, index) =>
      tasks.run(async () => {
        most = Math.max(most, ++inFlight);
        const before = turns;
        await Promise.resolve();
        inFlight -= 1;
        return { index, before };
      }),
    ),
  );
  isDone = true;
  expect(most).toBe(1);
  expect(seen.map(({ index }) => index)).toEqual(Array.from({ length: COUNT }, (_, index) => index));
  for (const [index, { before }] of seen.entries()) expect(before).toBeGreaterThan(seen[index - 1]?.before ?? -1);
});

test('work that waits 40 times ends while most of 20 tasks are still waiting', async () => {
  const tasks = new OneByOne();
  let ended = 0;
  const all = Array.from({ length: 20 }, () =>
    tasks.run(async () => {
      const until = performance.now() + 5;
      while (performance.now() < until);
      ended += 1;
    }),
  );
  for (let wait = 0; wait < 40; wait++) await nextTurn();
  expect(ended).toBeLessThan(10);
  await Promise.all(all);
  expect(ended).toBe(20);
});

test('a failed task rejects only its own promise, and the next task runs', async () => {
  const tasks = new OneByOne();
  const failed = tasks.run(() => Promise.reject(new Error('no paper')));
  const next = tasks.run(async () => 'drawn');
  await expect(failed).rejects.toThrow('no paper');
  expect(await next).toBe('drawn');
});
