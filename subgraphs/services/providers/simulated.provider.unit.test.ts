import { expect, test } from 'vitest';
import { SimulatedProvider } from './simulated.provider.ts';

const MINUTE_MS = 60_000;
const START = Date.parse('2026-02-03T00:00:00.000Z');

/** The bytes that a simulated line of 1 Gbps transfers in an hour, observed every `minutes` minutes. */
async function hourOf(name: string, minutes: number): Promise<number> {
  const provider = new SimulatedProvider({});
  const spec = { serviceType: 'fiber', places: [], characteristics: { bandwidth: '1000mbps' } };
  let total = 0;
  for (let at = 0; at < 60; at += minutes) {
    const previous = { measuredAt: new Date(START + at * MINUTE_MS), counter: null };
    const line = { serviceId: 'svc_1', name, spec, previous } as never;
    total += (await provider.observe(line, new Date(START + (at + minutes) * MINUTE_MS)))?.transferredBytes ?? 0;
  }
  return total;
}

test('a simulated busy line transfers 97 percent of its bandwidth, which equals its reported utilization', async () => {
  expect(await hourOf('Line SIM-BUSY', 5)).toBe((0.97 * 1e9 * 3600) / 8);
});

test('a simulated line transfers the same traffic in total, however often it is observed', async () => {
  const often = await hourOf('Line', 1);
  expect(often).toBeGreaterThan(0);
  expect(Math.abs(often - (await hourOf('Line', 30)))).toBeLessThan(60);
});
