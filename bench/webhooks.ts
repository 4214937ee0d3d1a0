import '../apps/production.ts';
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { Agent, request } from 'undici';
import { systemClock } from '../kernel/clock.ts';
import { type Attached, Database } from '../kernel/database.ts';
import { type DomainEvent, envelopeOf, type LoggedEvent } from '../kernel/events.ts';
import { Graph } from '../kernel/graph.ts';
import { newId } from '../kernel/ids.ts';
import { Jobs } from '../kernel/jobs.ts';
import { createLogger } from '../kernel/log.ts';
import { record } from '../kernel/outbox.ts';
import { Relay } from '../kernel/relay.ts';
import { SecretBox } from '../kernel/secret-box.ts';
import { signatureHeaders, signedBody } from '../subgraphs/events/dispatch/delivery.signature.ts';
import { events, type RunningEvents } from '../subgraphs/events/subgraph.ts';
import { Webhook } from '../subgraphs/events/webhooks/webhook.entity.ts';
import { generateSecret } from '../subgraphs/events/webhooks/webhook.secret.ts';
import { ticketCreated, ticketEvents } from '../subgraphs/support/tickets/ticket.events.ts';

export interface DeliveryRow {
  name: string;
  perSecond: number;
  /** Against bare undici with as many connections. */
  ratio: number;
}

export interface LatencyRow {
  name: string;
  p50Ms: number;
  p99Ms: number;
}

const ROUNDS = 3;
const DELIVERIES = 12_800;
const WEBHOOKS = [1, 16];
const BATCH = 500;
const POLL_MS = 5;
const EVENTS_PER_SECOND = 100;
const LATENCY_EVENTS = 500;
const SECRET_KEY = 'a secret for benchmarks, long enough';

/** (b) of events: signed and recorded deliveries from the log to a receiver in another process, and how long an event is on its way. */
export async function measureWebhooks(): Promise<{ throughput: DeliveryRow[]; latency: LatencyRow[] }> {
  await using stack = new AsyncDisposableStack();
  const receiver = stack.adopt(await Receiver.start(), (one) => one.stop());
  const platform = stack.adopt(await BenchPlatform.start(), (one) => one.stop());
  const throughput: DeliveryRow[] = [];
  for (const webhooks of WEBHOOKS) throughput.push(...(await compare(platform, receiver, webhooks)));
  return { throughput, latency: [await latencyOf(platform, receiver)] };
}

/** Rounds are interleaved, so that both see the same machine. */
async function compare(platform: BenchPlatform, receiver: Receiver, webhooks: number): Promise<DeliveryRow[]> {
  const [bare, ours]: [number[], number[]] = [[], []];
  await platform.subscribe(receiver.url, webhooks);
  for (let round = -1; round < ROUNDS; round += 1) {
    const one = await bareRate(receiver, webhooks);
    const other = await platformRate(platform, receiver, webhooks);
    // the first round warms up
    if (round >= 0) {
      bare.push(one);
      ours.push(other);
    }
  }
  await platform.unsubscribe();
  const [base, rate] = [median(bare), median(ours)];
  const to = webhooks === 1 ? '1 webhook' : `${webhooks} webhooks`;
  return [
    { name: `bare undici, ${to.replace('webhook', 'connection')}`, perSecond: Math.round(base), ratio: 1 },
    { name: `deliveries to ${to}`, perSecond: Math.round(rate), ratio: Number((rate / base).toFixed(2)) },
  ];
}

/** POSTs of the same bytes, one after the other on each connection. */
async function bareRate({ url }: Receiver, connections: number): Promise<number> {
  const { id, payload } = envelopeOf(ticketEvent('org_bench'));
  const secret = generateSecret();
  const body = signedBody(payload, secret);
  const headers = { 'content-type': 'application/json', ...signatureHeaders({ id, at: new Date(), body, secrets: [secret] }) };
  const dispatcher = new Agent({ connections });
  const started = performance.now();
  let left = DELIVERIES;
  await Promise.all(
    Array.from({ length: connections }, async () => {
      while (left-- > 0) await (await request(url, { method: 'POST', headers, body, dispatcher })).body.dump();
    }),
  );
  const seconds = (performance.now() - started) / 1000;
  await dispatcher.close();
  return DELIVERIES / seconds;
}

/** From what is planned to the last record: read, signed, posted, settled. Planning is a part of the latency below. */
async function platformRate(platform: BenchPlatform, receiver: Receiver, webhooks: number): Promise<number> {
  await receiver.taken();
  const count = DELIVERIES / webhooks;
  for (let from = 0; from < count; from += BATCH) await platform.append(Math.min(BATCH, count - from));
  while (await platform.isPlanning()) await delay(POLL_MS);
  let received = (await receiver.taken()).length;
  const left = DELIVERIES - received;
  const started = performance.now();
  for (; received < DELIVERIES; received += (await receiver.taken()).length) await delay(POLL_MS);
  while (await platform.isDelivering()) await delay(POLL_MS);
  return left / ((performance.now() - started) / 1000);
}

/** From the commit of the transaction that records an event in the outbox to its receipt, at a steady rate. */
async function latencyOf(platform: BenchPlatform, receiver: Receiver): Promise<LatencyRow> {
  await platform.subscribe(receiver.url, 1);
  await receiver.taken();
  const committed: Promise<number>[] = [];
  const started = performance.now();
  for (let index = 0; index < LATENCY_EVENTS; index += 1) {
    await delay(Math.max(0, started + (index * 1000) / EVENTS_PER_SECOND - performance.now()));
    committed.push(platform.record());
  }
  const commits = await Promise.all(committed);
  const arrivals: [string, number][] = [];
  while (arrivals.length < LATENCY_EVENTS) arrivals.push(...(await receiver.taken()));
  // both in the order in which the events were recorded, by one producer after another
  const receipts = arrivals.map(([, at]) => at).sort((one, other) => one - other);
  const sorted = [...commits].sort((one, other) => one - other);
  const latencies = receipts.map((at, index) => at - (sorted[index] ?? 0)).sort((one, other) => one - other);
  const at = (share: number): number => Number((latencies[Math.floor(latencies.length * share)] ?? 0).toFixed(1));
  return { name: `${EVENTS_PER_SECOND} events/s to one webhook`, p50Ms: at(0.5), p99Ms: at(0.99) };
}

const ticketEvent = (organizationId: string): DomainEvent => ({
  type: ticketCreated.type,
  organizationId,
  occurredAt: new Date(),
  subject: { type: 'Ticket', id: 'ticket_bench' },
  data: ticketCreated.type.example,
});

const median = (values: readonly number[]): number => [...values].sort((a, b) => a - b)[values.length >> 1] ?? 0;

class Receiver {
  private constructor(
    private readonly child: ChildProcess,
    readonly url: string,
  ) {}

  static async start(): Promise<Receiver> {
    const child = fork(fileURLToPath(new URL('./webhooks.receiver.js', import.meta.url)), { serialization: 'advanced' });
    const [port] = (await once(child, 'message')) as [number];
    return new Receiver(child, `http://127.0.0.1:${port}/hook`);
  }

  /** What came since it was last asked. */
  async taken(): Promise<[id: string, at: number][]> {
    this.child.send('taken');
    const [arrivals] = (await once(this.child, 'message')) as [[string, number][]];
    return arrivals;
  }

  async stop(): Promise<void> {
    this.child.disconnect();
    await once(this.child, 'exit');
  }
}

/** The events domain and its relay, on a database of their own. */
class BenchPlatform {
  readonly #organizationId = newId('organization');

  private constructor(
    private readonly attached: Attached,
    private readonly running: RunningEvents,
    readonly stop: () => Promise<void>,
  ) {}

  static async start(): Promise<BenchPlatform> {
    const log = createLogger({ level: 'error' });
    const { database, drop } = await openDatabase();
    const attached = await database.attach({ ...events, schema: 'events' });
    const jobs = new Jobs(database, log);
    const running = events.start({
      ...attached,
      database,
      jobs,
      clock: systemClock,
      graph: new Graph(),
      log,
      origin: 'http://127.0.0.1',
      eventTypes: [...ticketEvents, ...events.events],
      reactions: [],
      live: [],
      retentionDays: 30,
      secretKey: SECRET_KEY,
      allowPrivateUrls: true,
    });
    await jobs.start();
    await running.start();
    const relay = new Relay([{ schema: 'events', database, orm: attached.orm }], (batch) => running.append(batch), log);
    await relay.start();
    return new BenchPlatform(attached, running, async () => {
      await relay.stop();
      await running.stop();
      await jobs.stop();
      await drop();
    });
  }

  async subscribe(url: string, count: number): Promise<void> {
    const box = new SecretBox(SECRET_KEY, 'events.webhook-secret');
    const now = new Date();
    const webhooks = Array.from({ length: count }, () => {
      const id = newId('webhook');
      const sealedSecret = box.seal(generateSecret(), id);
      const members = { id, organizationId: this.#organizationId, url, events: ['ticket.*'], sealedSecret, createdAt: now, updatedAt: now };
      return Object.assign(new Webhook(), members);
    });
    await this.attached.orm.em.fork().persist(webhooks).flush();
  }

  async unsubscribe(): Promise<void> {
    await this.attached.rows.query('update "events"."webhook" set "active" = false', []);
  }

  async append(count: number): Promise<void> {
    const batch = Array.from({ length: count }, (): Omit<LoggedEvent, 'sequence'> => {
      const event = ticketEvent(this.#organizationId);
      return { ...event, ...envelopeOf(event), event: event.type.name, accountId: null };
    });
    await this.running.append(batch);
  }

  /** When it had committed. */
  async record(): Promise<number> {
    await this.attached.orm.em.fork().transactional((tx) => record(tx, ticketEvent(this.#organizationId)));
    return performance.timeOrigin + performance.now();
  }

  /** False when everything is recorded. */
  async isPlanning(): Promise<boolean> {
    const behind = `select 1 from "events"."consumer" where "name" = 'webhooks' and "last_sequence" < (select max("sequence") from "events"."event_log")`;
    return (await this.attached.rows.query(behind, [])).length > 0;
  }

  async isDelivering(): Promise<boolean> {
    const busy = 'select 1 from "events"."webhook" where "lane_until" is not null or "due_at" is not null';
    return (await this.attached.rows.query(busy, [])).length > 0;
  }
}

async function openDatabase(): Promise<{ database: Database; drop(): Promise<void> }> {
  const log = createLogger({ level: 'error' });
  const server = process.env.BENCH_DATABASE_URL;
  if (!server) {
    const database = await Database.open({}, log);
    return { database, drop: () => database.close() };
  }
  const name = `bench_webhooks_${process.pid}`;
  const url = new URL(server);
  url.pathname = `/${name}`;
  await runSql(server, `create database ${name}`);
  const database = await Database.open({ url: url.href }, log);
  return {
    database,
    async drop() {
      await database.close();
      await runSql(server, `drop database if exists ${name} with (force)`);
    },
  };
}

async function runSql(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
