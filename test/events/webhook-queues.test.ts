import { createServer, type Socket } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { newId } from '../../kernel/records/ids.ts';
import { DeliveryStore } from '../../subgraphs/events/dispatch/delivery.store.ts';
import { dueNow } from '../../subgraphs/events/webhooks/webhook-due.ts';
import { eventually } from '../rig.ts';
import { EventsWorld } from './events-world.ts';
import { type Receiver, receiver, respondWith } from './receiver.ts';

/** Timeouts so long that no attempt of a test reaches them. */
const NEVER = { connectMs: 600_000, wholeMs: 600_000 };
const HANGING = 200;

const indexes = ({ arrivals }: Receiver): number[] => arrivals.map(({ event }) => event.data.index);
const upTo = (count: number): number[] => Array.from({ length: count }, (_, index) => index);

describe('hanging receivers', () => {
  test('two hundred receivers that never respond do not delay deliveries to another receiver', async () => {
    const world = await EventsWorld.open();
    const process = await world.start({ deliveryTimeouts: NEVER });
    const [hanging, well] = [await receiver(() => undefined), await receiver()];
    for (let index = 0; index < HANGING; index += 1) await process.subscribe(hanging.url);
    await process.append(1);
    await eventually(() => hanging.arrivals.length === HANGING);
    await process.subscribe(well.url);
    await process.append(5, 1);
    await eventually(() => well.arrivals.length === 5);
    expect(indexes(well)).toEqual([1, 2, 3, 4, 5]);
    // each hanging receiver got one first attempt and no further attempt in parallel
    expect(hanging.arrivals).toHaveLength(HANGING);
  });

  test('a receiver gets new events while retries to it are in progress', async () => {
    const world = await EventsWorld.open();
    const process = await world.start({ deliveryTimeouts: NEVER });
    const hook = await receiver();
    hook.respond((response, index) => {
      if (index < 6) response.writeHead(500).end();
      else if ((hook.arrivals[index]?.event.data.index ?? 0) >= 6) response.end();
    });
    await process.subscribe(hook.url);
    await process.append(6);
    await eventually(async () => (await world.query("select 1 from events.delivery where status = 'failed'")).length === 6);
    world.clock.advance(60_000);
    await eventually(() => hook.arrivals.length === 10);
    await process.append(3, 6);
    await eventually(() => indexes(hook).includes(8));
    expect(indexes(hook).slice(10)).toEqual([6, 7, 8]);
  });
});

describe('deliveries that become due while a lease ends', () => {
  test.runIf(process.env.TEST_DATABASE_URL).each([
    ['as the first one during the lease', false],
    ['as the second one during the lease', true],
  ])('a webhook is still due after its lease if a delivery becomes due while the lease ends, %s', async (_, isMarked) => {
    const world = await EventsWorld.open();
    const stopped = await world.start();
    const id = await stopped.subscribe('http://127.0.0.1:9/hook');
    await stopped.stop();
    const { orm, rows } = world.store;
    const store = new DeliveryStore(orm, rows, { payloads: async () => new Map() });
    const mark = () => orm.em.fork().transactional((tx) => dueNow(tx, [id]));
    await mark();
    const now = world.clock.now();
    const later = new Date(now.getTime() + 30_000);
    const lease = await store.acquire(id, now, later);
    if (!lease) throw new Error('The lease was not free.');
    if (isMarked) await mark();

    let isOver = false;
    const ending = async (): Promise<void> => {
      while ((await store.release(lease, later)).isKept) await store.due(id, now, { firsts: 10, retries: 1 });
      isOver = true;
    };
    let ended: Promise<void> | undefined;
    await orm.em.fork().transactional(async (tx) => {
      await tx.execute(
        `insert into events.delivery ("id", "organization_id", "webhook_id", "event_id", "event", "sequence", "url", "next_attempt_at", "occurred_at", "created_at")
         values (?, ?, ?, 'evt_1', 'thing.happened', 1, 'u', now(), now(), now())`,
        [newId('delivery'), world.organizationId, id],
      );
      await dueNow(tx, [id]);
      ended = ending();
      const waits = `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
      await eventually(async () => isOver || (await world.query(waits)).length > 0);
    });
    await ended;
    // the lease sent no delivery, so the delivery must still be due
    const [webhook] = await world.query<{ due_at: Date | null }>('select due_at from events.webhook');
    expect(webhook?.due_at).not.toBeNull();
  });

  test('sixty deliveries arrive in log order even if each becomes due just when the previous lease of their webhook ends', async () => {
    const world = await EventsWorld.open();
    const process = await world.start();
    const hook = await receiver();
    await process.subscribe(hook.url);
    // each delivery becomes due when the previous lease is about to end
    for (let index = 0; index < 60; index += 1) {
      await process.append(1, index);
      await eventually(() => hook.arrivals.length > index);
    }
    expect(indexes(hook)).toEqual(upTo(60));
    await eventually(
      async () => (await world.query('select 1 from events.webhook where due_at is not null or lane_until is not null')).length === 0,
    );
  });
});

describe('delivery order while results are recorded', () => {
  test('250 deliveries of a webhook are each attempted once and in log order while earlier results are still being recorded', async () => {
    const world = await EventsWorld.open();
    const process = await world.start();
    const hook = await receiver();
    await process.subscribe(hook.url);
    await process.append(250);
    const recorded = "select 1 from events.delivery where status = 'delivered' and attempt = 1";
    await eventually(async () => (await world.query(recorded)).length === 250);
    expect(indexes(hook)).toEqual(upTo(250));
  });
});

describe('delivery attempts', () => {
  const deliveries = (world: EventsWorld) =>
    world.query<{ url: string; status: string; response_status: number | null; error: string | null }>(
      'select "url", "status", "response_status", "error" from events.delivery where "attempt" > 0',
    );

  /** Starts a server that accepts connections and never sends anything. */
  async function mute(): Promise<string> {
    const sockets: Socket[] = [];
    const server = createServer((socket) => void sockets.push(socket));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => {
      for (const socket of sockets) socket.destroy();
      server.close();
    });
    return `127.0.0.1:${(server.address() as { port: number }).port}`;
  }

  test.each([
    ['connection', { connectMs: 100, wholeMs: 600_000 }, 'https', 'no connection within 0.1 s'],
    ['response', { connectMs: 600_000, wholeMs: 100 }, 'http', 'no response within 0.1 s'],
  ])('a delivery attempt without a %s within the timeout fails with an error text', async (_, deliveryTimeouts, scheme, error) => {
    const world = await EventsWorld.open();
    const process = await world.start({ deliveryTimeouts });
    await process.subscribe(`${scheme}://${await mute()}/hook`);
    await process.append(1);
    expect(await eventually(async () => (await deliveries(world))[0])).toMatchObject({ status: 'failed', response_status: null, error });
  });

  const GIBIBYTE = 2 ** 30;

  test('a delivery with status 200 and an endlessly slow body succeeds and does not delay another webhook', async () => {
    const world = await EventsWorld.open();
    const process = await world.start({ deliveryTimeouts: { connectMs: 600_000, wholeMs: 1000 } });
    const drip = await receiver((response) => {
      response.writeHead(200, { 'content-length': GIBIBYTE });
      const drop = setInterval(() => response.write('x'.repeat(100)), 10);
      response.on('close', () => clearInterval(drop));
    });
    const well = await receiver();
    for (const { url } of [drip, well]) await process.subscribe(url);
    await process.append(2);
    await eventually(() => well.arrivals.length >= 2);
    const made = await eventually(async () => {
      const found = (await deliveries(world)).filter(({ url }) => url === drip.url);
      return found.length === 2 && found;
    });
    expect(made.every(({ status, response_status }) => status === 'delivered' && response_status === 200)).toBe(true);
  });

  test('a delivery succeeds after reading only a small part of a huge response body', async () => {
    const world = await EventsWorld.open();
    const process = await world.start({ deliveryTimeouts: NEVER });
    let poured = 0;
    const flood = await receiver((response) => {
      response.writeHead(200, { 'content-length': GIBIBYTE });
      const pour = (): void => {
        if (response.destroyed || poured >= GIBIBYTE) return;
        poured += 65_536;
        response.write('x'.repeat(65_536), () => setImmediate(pour));
      };
      pour();
    });
    await process.subscribe(flood.url);
    await process.append(1);
    expect(await eventually(async () => (await deliveries(world))[0])).toMatchObject({ status: 'delivered', response_status: 200 });
    // far more than the socket buffers of both sides contain
    expect(poured).toBeLessThan(GIBIBYTE / 16);
  });

  test.each([
    ['3600 s with status 429', 429, () => '3600', 3_600_000],
    ['a date two hours later with status 503', 503, (now: Date) => new Date(now.getTime() + 7_200_000).toUTCString(), 7_200_000],
    ['ten days, limited to one day, with status 503', 503, () => String(10 * 24 * 3600), 24 * 3_600_000],
  ])('a failed delivery is not retried before the time in Retry-After: %s', async (_, status, header, expectedMs) => {
    const world = await EventsWorld.open();
    const process = await world.start();
    const hook = await receiver((response) => respondWith(status, { 'retry-after': header(world.clock.now()) })(response, 0));
    await process.subscribe(hook.url);
    await process.append(1);
    const { ms } = await eventually(async () => {
      const text = `select extract(epoch from next_attempt_at - attempted_at)::float8 * 1000 as ms from events.delivery where status = 'failed'`;
      return (await world.query<{ ms: number }>(text))[0];
    });
    // a date has whole seconds, and the attempt takes some time
    expect(ms).toBeGreaterThan(expectedMs - 1001);
    expect(ms).toBeLessThan(expectedMs + 600_000);
  });
});
