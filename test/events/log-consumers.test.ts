import { expect, test } from 'vitest';
import type { LogConsumer, LoggedEvent } from '../../kernel/events/events.ts';
import { eventually } from '../rig.ts';
import { EventsWorld } from './events-world.ts';

const upTo = (count: number): number[] => Array.from({ length: count }, (_, index) => index);
const indexOf = ({ payload }: LoggedEvent): number => JSON.parse(payload).data.index;

/** A log consumer that records the events that it consumes and fails the first `failing` times. */
function reading(failing = 0): { consumer: LogConsumer; seen: number[] } {
  const seen: number[] = [];
  let left = failing;
  const consumer: LogConsumer = {
    name: 'test.reader',
    on: ['thing.happened'],
    async consume(events) {
      left -= 1;
      if (left >= 0) throw new Error('Not now.');
      seen.push(...events.map(indexOf));
    },
  };
  return { consumer, seen };
}

test('a log consumer gets events in log order, and a new process continues after the last consumed event', async () => {
  const world = await EventsWorld.open();
  const { consumer, seen } = reading();
  const one = await world.start({ logConsumers: [consumer] });
  await eventually(async () => (await world.query("select 1 from events.consumer where name = 'test.reader'")).length === 1);
  for (let from = 0; from < 450; from += 150) await one.append(150, from);
  await eventually(() => seen.length >= 450);
  await eventually(async () => {
    const [place] = await world.query<{ at: string; head: string }>(
      "select (select last_sequence from events.consumer where name = 'test.reader') as at, (select max(sequence) from events.event_log) as head",
    );
    return place?.at === place?.head;
  });
  await one.stop();
  const two = await world.start({ logConsumers: [consumer] });
  await two.append(5, 450);
  await eventually(() => seen.length >= 455);
  expect(seen).toEqual(upTo(455));
});

test('events that a log consumer failed to process are retried before later events', async () => {
  const world = await EventsWorld.open();
  const { consumer, seen } = reading(2);
  const process = await world.start({ logConsumers: [consumer] });
  await eventually(async () => (await world.query("select 1 from events.consumer where name = 'test.reader'")).length === 1);
  await process.append(3);
  await process.append(3, 3);
  await eventually(() => seen.length >= 6);
  expect(seen).toEqual(upTo(6));
});

test('a new log consumer gets only events that are appended after its first start', async () => {
  const world = await EventsWorld.open();
  const before = await world.start();
  await before.append(10);
  await before.stop();
  const { consumer, seen } = reading();
  const process = await world.start({ logConsumers: [consumer] });
  await eventually(async () => (await world.query("select 1 from events.consumer where name = 'test.reader'")).length === 1);
  await process.append(2, 10);
  await eventually(() => seen.length >= 2);
  expect(seen).toEqual([10, 11]);
});
