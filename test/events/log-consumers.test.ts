import { describe, expect, onTestFinished, test } from 'vitest';
import type { LogConsumer, LoggedEvent } from '../../kernel/events/events.ts';
import { type EventSink, Relay } from '../../kernel/events/relay.ts';
import { newId } from '../../kernel/records/ids.ts';
import { eventually } from '../rig.ts';
import { silent } from '../support/domain-world.ts';
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

describe.runIf(process.env.TEST_DATABASE_URL)('several processes', () => {
  test('one of two processes consumes, and the other continues when it has stopped', async () => {
    const world = await EventsWorld.open();
    const [first, second] = [reading(), reading()];
    const one = await world.start({ logConsumers: [first.consumer] });
    await eventually(async () => (await world.query("select 1 from events.lease where name = 'consumer test.reader'")).length === 1);
    const two = await world.start({ logConsumers: [second.consumer] });
    for (let from = 0; from < 100; from += 10) await (from % 20 ? one : two).append(10, from);
    await eventually(() => first.seen.length >= 100);
    expect(second.seen).toEqual([]);
    await one.stop();
    await two.append(10, 100);
    await eventually(() => second.seen.length >= 10);
    expect([first.seen, second.seen]).toEqual([upTo(100), upTo(110).slice(100)]);
  });

  test('the lease of a killed process ends, and another process continues', async () => {
    const world = await EventsWorld.open();
    const { consumer, seen } = reading();
    const earlier = await world.start({ logConsumers: [consumer] });
    await eventually(async () => (await world.query("select 1 from events.lease where name = 'consumer test.reader'")).length === 1);
    await earlier.stop();
    await world.query(`insert into events.lease values ('consumer test.reader', 'killed', now() + interval '2 seconds')`);
    const ends = "select extract(epoch from held_until)::float8 as at from events.lease where holder = 'killed'";
    const [lease] = await world.query<{ at: number }>(ends);
    const process = await world.start({ logConsumers: [consumer] });
    await process.append(3);
    await eventually(() => seen.length >= 3);
    expect(seen).toEqual(upTo(3));
    expect(await world.query(`select 1 from events.lease where extract(epoch from now()) > ${lease?.at}`)).not.toEqual([]);
  });

  test('a process that cannot consume leaves the events to another process', async () => {
    const world = await EventsWorld.open();
    const [broken, working] = [reading(1000), reading()];
    const one = await world.start({ logConsumers: [broken.consumer] });
    await eventually(async () => (await world.query("select 1 from events.lease where name = 'consumer test.reader'")).length === 1);
    await world.start({ logConsumers: [working.consumer] });
    await one.append(3);
    await eventually(() => working.seen.length >= 3);
    expect(working.seen).toEqual(upTo(3));
  });

  test('one of two processes moves the events of an outbox to the log, and the other continues when it has stopped', async () => {
    const world = await EventsWorld.open();
    const batches: [string, number][] = [];
    const relayOf = async (name: string): Promise<Relay> => {
      const { running } = await world.start();
      const append: EventSink['append'] = (events) => {
        batches.push([name, events.length]);
        return running.append(events);
      };
      const { database, orm } = world.store;
      const relay = new Relay([{ schema: 'events', database, orm }], { append, leaseOf: running.leaseOf }, silent);
      await relay.start();
      onTestFinished(() => relay.stop());
      return relay;
    };
    const recorded = async (count: number): Promise<void> => {
      const rows = Array.from(
        { length: count },
        () => `('${newId('event')}', '${world.organizationId}', 'thing.happened', 'Thing', 'thing_1', now(), '{}')`,
      );
      await world.query(
        `insert into events.outbox ("id", "organization_id", "event", "subject_type", "subject_id", "occurred_at", "payload") values ${rows.join()}`,
      );
      await eventually(async () => (await world.query('select 1 from events.outbox')).length === 0);
    };
    const one = await relayOf('one');
    await recorded(1);
    await relayOf('two');
    for (let turn = 0; turn < 5; turn += 1) await recorded(10);
    expect(new Set(batches.map(([name]) => name))).toEqual(new Set(['one']));
    await one.stop();
    await recorded(10);
    expect(batches.at(-1)?.[0]).toBe('two');
  });
});
