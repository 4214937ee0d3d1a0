import { expect, test } from 'vitest';
import { type Receiver, receiver } from '../events/receiver.ts';
import { eventually } from '../rig.ts';
import { DatabaseProxy } from '../support/database-proxy.ts';
import { ownDatabase } from '../support/own-database.ts';
import { DeliveryProcess } from './delivery-child.ts';

const HALF = 300;
const PATIENCE_MS = 120_000;

const places = ({ arrivals }: Receiver): number[] => arrivals.map(({ event }) => Number(event.data.ticket.number));

test.runIf(process.env.TEST_DATABASE_URL)(
  'after two database outages under load, each webhook has received all events in the order in which they were recorded',
  async () => {
    const proxy = await DatabaseProxy.start((await ownDatabase()) ?? '');
    const running = await DeliveryProcess.start({ url: proxy.url });
    const [fast, slow] = [await receiver(), await receiver((response) => void setTimeout(() => response.end(), 10))];
    await running.subscribe(fast.url, slow.url);
    await running.record(0, HALF);
    for (const at of [20, 120]) {
      const refused = proxy.refused;
      await eventually(() => slow.arrivals.length >= at, PATIENCE_MS);
      proxy.disconnect();
      await eventually(() => proxy.refused >= refused + 5, PATIENCE_MS);
      proxy.reconnect();
    }
    await eventually(async () => {
      await running.record(HALF, HALF);
      return true;
    }, PATIENCE_MS);
    const everything = Array.from({ length: 2 * HALF }, (_, index) => index);
    await eventually(() => [fast, slow].every((one) => new Set(places(one)).size === everything.length), PATIENCE_MS);
    for (const one of [fast, slow]) expect([...new Set(places(one))]).toEqual(everything);
    expect(running.isRunning).toBe(true);
  },
  240_000,
);
