import { join } from 'node:path';
import { expect, test } from 'vitest';
import { DATABASE_TEMPLATE } from '../../apps/platform/database-template.ts';
import { type Receiver, receiver, respondWith } from '../events/receiver.ts';
import { eventually } from '../rig.ts';
import { ownDatabase } from '../support/own-database.ts';
import { temporaryFolder } from '../support/process.ts';
import { DeliveryProcess } from './delivery-child.ts';

const EVENTS = 2000;
const KILLS = 2;
const SLOW_MS = 2;
/** Time after which the leases of a killed process have expired. */
const LEASE_MS = 61_000;
const PATIENCE_MS = 240_000;
/** Seed of the random generator. To repeat a run: `SEED=… npx vitest run test/reliability/delivery-kill.test.ts`. */
const SEED = Number(process.env.SEED ?? 4);

/** Returns a generator of numbers from 0 to 1 (Mulberry32). The same seed gives the same numbers. */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const places = ({ arrivals }: Receiver): number[] => arrivals.map(({ event }) => Number(event.data.ticket.number));

test(`a platform that is killed at random points delivers all events in order and under 1 % of them twice (seed ${SEED})`, async () => {
  const random = randomFrom(SEED);
  const url = await ownDatabase();
  const target = url ? { url } : { dataDir: join(temporaryFolder(), 'database'), template: DATABASE_TEMPLATE };
  const fast = await receiver();
  const slow = await receiver((response) => void setTimeout(() => response.end(), SLOW_MS));
  const failing = await receiver(respondWith(503, { 'retry-after': '86400' }));
  let running = await DeliveryProcess.start(target);
  await running.subscribe(fast.url, slow.url, failing.url);
  await running.record(0, EVENTS);
  for (let kill = 1; kill <= KILLS; kill += 1) {
    const share = (kill - 1 + random()) / KILLS;
    const at = Math.max(1, Math.floor(EVENTS * share * 0.9));
    await eventually(() => fast.arrivals.length >= at, PATIENCE_MS);
    await running.kill();
    // its clock is ahead, so that the leases of the killed process have expired for it
    running = await DeliveryProcess.start(target, kill * LEASE_MS);
  }
  const everything = Array.from({ length: EVENTS }, (_, index) => index);
  await eventually(() => [fast, slow, failing].every((one) => new Set(places(one)).size === EVENTS), PATIENCE_MS);
  for (const one of [fast, slow, failing]) {
    expect([...new Set(places(one))]).toEqual(everything);
    expect(new Set(one.arrivals.map(({ headers, event }) => `${headers['webhook-id']} ${event.data.ticket.number}`)).size).toBe(EVENTS);
  }
  const made = [fast, slow, failing].reduce((sum, { arrivals }) => sum + arrivals.length, 0);
  const duplicates = [fast, slow].reduce((sum, { arrivals }) => sum + arrivals.length - EVENTS, 0);
  expect(duplicates).toBeLessThan(made / 100);
}, 300_000);
