import pg from 'pg';
import { describe, expect, test } from 'vitest';
import type { LoggedEvent } from '../../kernel/events/events.ts';
import { newId } from '../../kernel/records/ids.ts';
import { eventually } from '../rig.ts';
import { EventsWorld, type Process } from './events-world.ts';
import { receiver } from './receiver.ts';

const DAY_MS = 86_400_000;

/** An event as the relay would append it. */
const eventAt = ({ organizationId }: EventsWorld, occurredAt: Date): Omit<LoggedEvent, 'sequence'> => ({
  id: newId('event'),
  organizationId,
  event: 'thing.happened',
  subject: { type: 'Thing', id: 'thing_1' },
  accountId: null,
  occurredAt,
  payload: JSON.stringify({ data: { index: 0 } }),
});

const partitions = async (world: EventsWorld): Promise<string[]> =>
  (
    await world.query<{ name: string }>(
      `select c.relname as name from pg_inherits join pg_class c on c.oid = inhrelid where inhparent = 'events.event_log'::regclass order by 1`,
    )
  ).map(({ name }) => name);

const idsIn = async (world: EventsWorld, table = 'event_log'): Promise<string[]> =>
  (await world.query<{ id: string }>(`select id from events.${table} order by sequence`)).map(({ id }) => id);

const listed = async (process: Process, filter: object): Promise<{ ids: string[]; error: object | undefined }> => {
  const { data, error } = await process.graphql('query($filter: EventFilter) { events(filter: $filter) { nodes { id } } }', { filter });
  return { ids: data?.events.nodes.map(({ id }: { id: string }) => id), error };
};

/** Waits until the consumers have read the whole log, because partitions with unread events are not dropped. */
const consumed = (world: EventsWorld): Promise<true> =>
  eventually(
    async () =>
      (await world.query('select 1 from events.consumer where last_sequence < (select max(sequence) from events.event_log)')).length === 0,
  );

/** Runs the retention task, and repeats it if concurrent readers make it fail. */
const purged = (process: Process): Promise<true> =>
  eventually(async () => {
    await process.running.retention.run();
    return true as const;
  });

describe('event log', () => {
  test('the event log has one partition for each UTC day that has events, and numbers events in the order of appending', async () => {
    const world = await EventsWorld.open();
    const process = await world.start();
    const batch = ['2026-03-01T00:00:00.000Z', '2026-02-28T23:59:59.999Z', '2026-03-01T23:59:59.999Z', '2026-03-02T00:00:00.000Z'].map(
      (text) => eventAt(world, new Date(text)),
    );
    await process.running.append(batch);
    expect(await partitions(world)).toEqual(['event_log_20260228', 'event_log_20260301', 'event_log_20260302']);
    expect(await idsIn(world, 'event_log_20260301')).toEqual([batch[0]?.id, batch[2]?.id]);
    expect(await idsIn(world)).toEqual(batch.map(({ id }) => id));
    expect(await world.drift()).toBe('');
  });

  test('an event is stored in the log partition of the day when it was recorded, even if its timestamp has another day', async () => {
    const world = await EventsWorld.open();
    const process = await world.start();
    const [happened, recordedAt] = [new Date('2031-05-01T00:00:00.000Z'), world.clock.now()];
    const event = { ...eventAt(world, happened), recordedAt };
    await process.running.append([event]);
    expect(await partitions(world)).toEqual([`event_log_${recordedAt.toISOString().slice(0, 10).replaceAll('-', '')}`]);
    const { data } = await process.graphql('{ events { nodes { id timestamp } } }');
    expect(data?.events.nodes).toEqual([{ id: event.id, timestamp: happened.toISOString() }]);
  });

  test('an event is stored once, even if two processes append it concurrently and the partition of its day does not exist yet', async () => {
    const world = await EventsWorld.open();
    const [one, two] = [await world.start(), await world.start()];
    const event = eventAt(world, world.clock.now());
    const [other, another] = [eventAt(world, event.occurredAt), eventAt(world, event.occurredAt)];
    await Promise.all([one.running.append([event, other]), two.running.append([event, another])]);
    await one.running.append([event]);
    expect((await idsIn(world)).toSorted()).toEqual([event.id, other.id, another.id].toSorted());
  });

  test('paging through the events query over seven days returns every event once', async () => {
    const world = await EventsWorld.open();
    const process = await world.start();
    const batch = Array.from({ length: 7 }, (_, day) => eventAt(world, new Date(world.clock.now().getTime() - day * DAY_MS)));
    await process.running.append(batch);
    const seen: string[] = [];
    for (let cursor: string | null = null, first = true; first || cursor; first = false) {
      const query = 'query($cursor: String) { events(page: { limit: 3, cursor: $cursor }) { nodes { id } pageInfo { nextCursor total } } }';
      const { data } = await process.graphql(query, { cursor });
      seen.push(...data.events.nodes.map(({ id }: { id: string }) => id));
      expect(data.events.pageInfo.total).toBe(7);
      cursor = data.events.pageInfo.nextCursor;
    }
    expect(seen).toEqual(batch.map(({ id }) => id).toReversed());
  });
});

describe('event log retention', () => {
  /** Creates an event from 31 days ago and an event from today, both delivered to a webhook. */
  async function twoAges() {
    const world = await EventsWorld.open();
    const process = await world.start();
    const hook = await receiver();
    await process.subscribe(hook.url);
    const old = eventAt(world, world.clock.now());
    await process.running.append([old]);
    await eventually(() => hook.arrivals.length === 1);
    world.clock.advance(31 * DAY_MS);
    const young = eventAt(world, world.clock.now());
    await process.running.append([young]);
    await eventually(() => hook.arrivals.length === 2);
    await consumed(world);
    return { world, process, old, young };
  }

  test('a log partition older than 30 days is dropped with its delivery records, and newer partitions stay', async () => {
    const { world, process, old, young } = await twoAges();
    await purged(process);
    expect(await partitions(world)).toHaveLength(1);
    expect(await idsIn(world)).toEqual([young.id]);
    expect(await world.query('select event_id from events.delivery')).toEqual([{ event_id: young.id }]);
    // lists the events after an existing event, and after an event of the dropped partition
    expect((await listed(process, { after: young.id })).ids).toEqual([]);
    expect((await listed(process, { after: old.id })).error).toMatchObject({
      code: 'INVALID_PARAMETERS',
      details: { field: 'after', value: old.id, reason: expect.stringMatching(/30 days.*begin without it/) },
    });
  });

  test('a log partition is kept for at least 30 full days and until every consumer has read its events', async () => {
    const { world, process, old, young } = await twoAges();
    const end = '(select max(sequence) from events.event_log)';
    await world.query(`insert into events.consumer (name, last_sequence) values ('behind', 0)`);
    await purged(process);
    expect(await idsIn(world)).toEqual([old.id, young.id]);
    await world.query(`update events.consumer set last_sequence = ${end} where name = 'behind'`);
    // the day of the old event ended less than 30 days ago
    world.clock.set(new Date(Math.floor(old.occurredAt.getTime() / DAY_MS) * DAY_MS + 31 * DAY_MS - 60_000));
    await purged(process);
    expect(await idsIn(world)).toEqual([old.id, young.id]);
    world.clock.advance(120_000);
    await purged(process);
    expect(await idsIn(world)).toEqual([young.id]);
  });

  test('an event of a day whose log partition was dropped is stored, even by a process that once wrote to this partition', async () => {
    const { world, process, old } = await twoAges();
    await purged(await world.start());
    const late = eventAt(world, old.occurredAt);
    // the relay retries failed appends
    await eventually(async () => {
      await process.running.append([late]);
      return true;
    });
    expect(await idsIn(world)).toContain(late.id);
  });

  const url = process.env.TEST_DATABASE_URL;
  test.runIf(url)('a log partition is kept while a long transaction reads it, and this transaction does not block new events', async () => {
    const { world, process, young } = await twoAges();
    const reader = new pg.Client({ connectionString: (world.store.database.target as { url: string }).url });
    await reader.connect();
    try {
      await reader.query('begin');
      await reader.query('select count(*) from events.event_log');
      await expect(process.running.retention.run()).rejects.toThrow('lock timeout');
      await process.append(1);
      expect(await idsIn(world)).toHaveLength(3);
      await reader.query('commit');
      await purged(process);
      expect(await idsIn(world)).toEqual([young.id, expect.any(String)]);
    } finally {
      await reader.end();
    }
  });
});
