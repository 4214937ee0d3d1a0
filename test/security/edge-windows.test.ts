import { randomInt, randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { Charge, Counters, WindowCharge } from '../../router/edge/counters.ts';
import { MemoryCounters } from '../../router/edge/memory-counters.ts';
import { onRedis, redisUrl, stores } from './edge-stores.ts';
import { RateModel, randomOf } from './rate-model.ts';

const MINUTE_MS = 60_000;
const START_MS = Date.UTC(2026, 0, 1);

interface Processes {
  counters: readonly Counters[];
  close(): void;
}

/** Each kind of store with the number of random sequences to test. Redis is tested with three processes. */
const shared: [string, number, () => Promise<Processes>][] = [
  ['the memory of a process', 250, async () => ({ counters: [new MemoryCounters()], close: () => {} })],
];
if (redisUrl) {
  const url = redisUrl;
  const open = async (): Promise<Processes> => {
    const prefix = `test:${randomUUID()}:`;
    const stores = [await onRedis(url, prefix), await onRedis(url, prefix), await onRedis(url, prefix)];
    return { counters: stores.map(({ counters }) => counters), close: () => stores.forEach(({ close }) => void close()) };
  };
  shared.push(['a Redis that three processes share', 60, open]);
}

/** Rate windows as the limiter charges them for a key, its plan and a category. */
function windowsOf(amount: number, isExport: boolean): WindowCharge[] {
  const minute = { amount, windowMs: MINUTE_MS, isSliding: true };
  return [
    { key: 'rate:{org}:hour', amount, limit: 150, windowMs: 60 * MINUTE_MS },
    { key: 'rate:{org}:burst', ...minute, limit: 40, isHard: amount <= 40 },
    { key: 'rate:{org}:key:minute', ...minute, limit: 12 },
    { key: 'rate:{org}:key:burst', ...minute, limit: 20, isHard: amount <= 20, countsRefused: true },
    { key: 'rate:{org}:export', amount: isExport ? Math.sign(amount) : 0, limit: 4, windowMs: 60 * MINUTE_MS },
  ];
}

/**
 * A random request and the clock change before it: usually a short time forward, sometimes a long time, sometimes back.
 */
function step(random: (below: number) => number): { moveMs: number; charge: Charge } {
  const moves = [
    0,
    0,
    random(300),
    random(3_000),
    random(3_000),
    random(15_000),
    MINUTE_MS,
    random(90) * MINUTE_MS,
    -random(10_000),
    -random(3_600_000),
  ];
  const amount = [1, 1, 1, 2, 3, 5, 0, -1, 13, 50][random(10)] ?? 1;
  const suspension = { key: 'rate:{org}:key:suspended', forMs: 5 * MINUTE_MS };
  return { moveMs: moves[random(moves.length)] ?? 0, charge: { windows: windowsOf(amount, random(4) === 0), suspension } };
}

describe.each(shared)('rate counters in %s', (_, sequences, open) => {
  test('rate counters accept and reject the same requests as a brute-force model, even if the clock is set forward or back', async () => {
    const seed = Number(process.env.RATE_SEED ?? randomInt(2 ** 31));
    process.stdout.write(`Generated requests of seed ${seed} (RATE_SEED)\n`);
    const random = randomOf(seed);
    for (let sequence = 0; sequence < sequences; sequence++) {
      const { counters, close } = await open();
      const skews = counters.map(() => random(400));
      const model = new RateModel();
      let nowMs = START_MS;
      for (let count = 0; count < 80; count++) {
        const { moveMs, charge } = step(random);
        const process = random(counters.length);
        nowMs += moveMs;
        const processMs = nowMs + (skews[process] ?? 0);
        const response = await counters[process]?.charge(charge, processMs);
        try {
          model.check(charge, processMs, response as NonNullable<typeof response>);
        } catch (error) {
          throw new Error(`seed ${seed}, sequence ${sequence}, request ${count}: ${(error as Error).message}`, { cause: error });
        }
      }
      close();
    }
  });
});

describe.each(stores)('rate windows in %s', (_, open) => {
  const minute = (amount: number, limit = 10): Charge => ({
    windows: [{ key: 'rate:{org}:minute', amount, limit, windowMs: MINUTE_MS, isSliding: true }],
  });
  const hour = (amount: number): Charge => ({ windows: [{ key: 'rate:{org}:hour', amount, limit: 10, windowMs: 60 * MINUTE_MS }] });

  test('a sliding window of 60 seconds never contains more requests than the limit, at any starting time', async () => {
    const { counters, close } = await open();
    expect((await counters.charge(minute(1), START_MS)).refused).toBeUndefined();
    expect((await counters.charge(minute(9), START_MS + 59_000)).refused).toBeUndefined();
    // a fixed window that started with the first charge would already have ended
    expect((await counters.charge(minute(1), START_MS + 60_500)).refused).toBeUndefined();
    const refused = await counters.charge(minute(1), START_MS + 61_000);
    expect([refused.refused, refused.counts[0]?.resetAt]).toEqual([0, START_MS + 59_000 + MINUTE_MS]);
    expect((await counters.charge(minute(9), START_MS + 119_001)).refused).toBeUndefined();
    close();
  });

  test('a rate window ends after its usual duration even if the clock is set back by a day', async () => {
    const { counters, close } = await open();
    await counters.charge(minute(10), START_MS);
    await counters.charge(hour(10), START_MS);
    const back = START_MS - 86_400_000;
    const [inMinute, inHour] = [await counters.charge(minute(1), back), await counters.charge(hour(1), back)];
    expect([inMinute.counts[0]?.resetAt, inHour.counts[0]?.resetAt]).toEqual([back + MINUTE_MS, back + 60 * MINUTE_MS]);
    expect((await counters.charge(minute(1), back + MINUTE_MS + 1)).refused).toBeUndefined();
    expect((await counters.charge(hour(1), back + 60 * MINUTE_MS + 1)).refused).toBeUndefined();
    close();
  });

  test('a suspension ends after five minutes even if the clock is set back by a day', async () => {
    const { counters, close } = await open();
    const suspension = { key: 'rate:{org}:suspended', forMs: 5 * MINUTE_MS };
    const windows = [{ key: 'rate:{org}:burst', amount: 1, limit: 0, windowMs: MINUTE_MS, isSliding: true, isHard: true }];
    expect((await counters.charge({ windows, suspension }, START_MS)).suspendedUntil).toBe(START_MS + 5 * MINUTE_MS);
    const back = START_MS - 86_400_000;
    expect((await counters.charge({ windows, suspension }, back)).suspendedUntil).toBe(back + 5 * MINUTE_MS);
    expect((await counters.charge({ windows, suspension }, back + MINUTE_MS)).suspendedUntil).toBe(back + 5 * MINUTE_MS);
    close();
  });
});
