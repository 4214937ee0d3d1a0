import { describe, expect, test } from 'vitest';
import type { LoggedEvent, Reaction } from '../../kernel/events/events.ts';
import { eventually } from '../rig.ts';
import { EventsWorld } from './events-world.ts';
import { receiver, respondWith } from './receiver.ts';

const indexes = (arrivals: readonly { event: { data: { index: number } } }[]): number[] => arrivals.map(({ event }) => event.data.index);
const upTo = (count: number): number[] => Array.from({ length: count }, (_, index) => index);

describe('two concurrent processes', () => {
  test('while two processes run, a webhook receives each event once and in the order of the event log', async () => {
    const world = await EventsWorld.open();
    const [one, two] = [await world.start(), await world.start()];
    const hooks = await Promise.all(upTo(2).map(() => receiver((response) => void setTimeout(() => response.end(), 2))));
    const ids = await Promise.all(hooks.map(({ url }) => one.subscribe(url)));
    for (let from = 0; from < 80; from += 10) {
      await (from % 20 ? one : two).append(10, from);
      // after a webhook was changed, both processes look for due deliveries
      for (const id of ids) await Promise.all([one, two].map((process) => process.touch(id)));
    }
    await eventually(() => hooks.every(({ arrivals }) => arrivals.length >= 80));
    await eventually(async () => (await world.query("select 1 from events.delivery where status <> 'delivered'")).length === 0);
    for (const { arrivals } of hooks) expect(indexes(arrivals)).toEqual(upTo(80));
  });

  test('a second process continues to deliver events after the first process stops', async () => {
    const world = await EventsWorld.open();
    const hook = await receiver();
    const one = await world.start();
    await one.subscribe(hook.url);
    await one.append(5);
    // the embedded database supports one process, so a second process would repeat deliveries that are not recorded yet
    await eventually(async () => (await world.query("select 1 from events.delivery where status = 'delivered'")).length === 5);
    const two = await world.start();
    await one.stop();
    await two.append(5, 5);
    await eventually(() => hook.arrivals.length === 10);
    expect(indexes(hook.arrivals)).toEqual(upTo(10));
  });
});

describe('stopped processes', () => {
  test('a delivery that was in progress when its process stopped is repeated by the next process with the same id', async () => {
    const world = await EventsWorld.open();
    const hook = await receiver((response, index) => void (index > 0 && response.end()));
    const one = await world.start();
    await one.subscribe(hook.url);
    await one.append(3);
    await eventually(() => hook.arrivals.length === 1);
    await one.stop();

    await world.start();
    await eventually(() => hook.arrivals.length === 4);
    expect(indexes(hook.arrivals)).toEqual([0, 0, 1, 2]);
    expect(new Set(hook.arrivals.map(({ headers }) => headers['webhook-id'])).size).toBe(3);
  });

  test('if a process is killed while it delivers to a webhook, the next deliveries to this webhook begin within a minute', async () => {
    const world = await EventsWorld.open();
    const hook = await receiver();
    const one = await world.start();
    await one.subscribe(hook.url);
    // a lease as a killed process leaves it
    await world.query(`update events.webhook set lane_until = now() + interval '60 seconds'`);
    await one.append(2);
    await eventually(async () => (await world.query('select 1 from events.delivery')).length === 2);
    expect(hook.arrivals).toEqual([]);
    world.clock.advance(61_000);
    await eventually(() => hook.arrivals.length === 2);
  });

  test('deliveries continue if the clock was set back after a process stopped without releasing its lease', async () => {
    const world = await EventsWorld.open();
    const hook = await receiver();
    const one = await world.start();
    await one.subscribe(hook.url);
    await world.query(`update events.webhook set lane_until = now() + interval '2 days'`);
    await one.append(1);
    world.clock.advance(-3_600_000);
    await eventually(() => hook.arrivals.length === 1);
  });
});

describe('clock changes', () => {
  const DAY_MS = 24 * 60 * 60_000;

  test('each event is delivered once and in order even if the clock jumps forward and back by days', async () => {
    const world = await EventsWorld.open();
    const hook = await receiver((response) => void setTimeout(() => response.end(), 2));
    const process = await world.start();
    await process.subscribe(hook.url);
    for (const [index, days] of [1, -2, 3, -1].entries()) {
      await process.append(10, index * 10);
      await eventually(() => hook.arrivals.length > index * 10);
      world.clock.advance(days * DAY_MS);
    }
    await process.append(10, 40);
    await eventually(async () => (await world.query("select 1 from events.delivery where status = 'delivered'")).length === 50);
    expect(indexes(hook.arrivals)).toEqual(upTo(50));
  });

  test('pending deliveries are not delayed if the clock was set back by a day while no process was running', async () => {
    const world = await EventsWorld.open();
    const hook = await receiver((response, index) => void (index > 0 && response.end()));
    const one = await world.start();
    await one.subscribe(hook.url);
    await one.append(2);
    await eventually(() => hook.arrivals.length === 1);
    await one.stop();
    world.clock.advance(-DAY_MS);
    await world.start();
    await eventually(() => hook.arrivals.length === 3);
    expect(indexes(hook.arrivals)).toEqual([0, 0, 1]);
  });
});

describe('reactions', () => {
  const reaction = (handle: Reaction['handle']): Reaction => ({ name: 'test.reaction', on: 'thing.happened', handle });

  test('a reaction that fails is retried with the same event until the reaction succeeds', async () => {
    const world = await EventsWorld.open();
    const seen: LoggedEvent[] = [];
    const flaky = reaction(async (event) => {
      seen.push(event);
      if (seen.length < 3) throw new Error('not yet');
    });
    const process = await world.start({ reactions: [flaky] });
    await process.append(1);
    for (const minutes of [10, 20]) {
      await eventually(() => seen.length >= minutes / 10);
      await process.jobs.shiftClock(minutes * 60_000);
    }
    await eventually(() => seen.length === 3);
    expect(new Set(seen.map(({ id }) => id)).size).toBe(1);
    expect(seen[0]).toMatchObject({
      event: 'thing.happened',
      organizationId: world.organizationId,
      subject: { type: 'Thing', id: 'thing_1' },
      occurredAt: expect.any(Date),
    });
    expect(JSON.parse(seen[0]?.payload ?? '')).toMatchObject({ id: seen[0]?.id, data: { index: 0 } });
  });

  test('a reaction runs only for events of the type for which the reaction is registered', async () => {
    const world = await EventsWorld.open();
    const seen: LoggedEvent[] = [];
    const other: Reaction = { name: 'test.other', on: 'thing.unheard', handle: async (event) => void seen.push(event) };
    const mine = reaction(async (event) => void seen.push(event));
    const process = await world.start({ reactions: [other, mine] });
    await process.append(3);
    await eventually(() => seen.length >= 3);
    expect(new Set(seen.map(({ event }) => event))).toEqual(new Set(['thing.happened']));
  });
});

describe('private addresses', () => {
  test('creating a webhook for a private address returns INVALID_PARAMETERS, and deliveries to a private address fail', async () => {
    const world = await EventsWorld.open();
    const hook = await receiver(respondWith(200));
    const port = new URL(hook.url).port;
    const trusting = await world.start();
    const id = await trusting.subscribe(`http://localhost:${port}/hook`);
    await trusting.stop();

    const strict = await world.start({ allowPrivateUrls: false });
    for (const url of ['https://127.0.0.1/hook', 'https://localhost/hook', 'https://[::ffff:10.0.0.1]/', 'http://example.com/']) {
      const { error } = await strict.graphql('mutation($url: String!) { createWebhook(input: { url: $url, events: ["*"] }) { id } }', {
        url,
      });
      expect(error).toMatchObject({ code: 'INVALID_PARAMETERS', details: { field: 'url' } });
    }
    await strict.append(1);
    const { status, error } = await eventually(async () => {
      const { data } = await strict.graphql('query($id: ID!) { webhookDeliveries(webhookId: $id) { nodes { status error } } }', { id });
      const [delivery] = data.webhookDeliveries.nodes;
      return delivery?.status === 'FAILED' && delivery;
    });
    expect([status, error]).toEqual(['FAILED', 'the address is private, loopback or link-local']);
    expect(hook.arrivals).toEqual([]);
  });
});
