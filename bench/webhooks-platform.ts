import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { SecretBox } from '../kernel/access/secret-box.ts';
import { Secrets } from '../kernel/access/secrets.ts';
import { systemClock } from '../kernel/clock.ts';
import type { Attached } from '../kernel/database/database.ts';
import { type DomainEvent, envelopeOf, type LoggedEvent } from '../kernel/events/events.ts';
import { record } from '../kernel/events/outbox.ts';
import { Relay } from '../kernel/events/relay.ts';
import { Graph } from '../kernel/graph.ts';
import { Jobs } from '../kernel/jobs/jobs.ts';
import { createLogger } from '../kernel/log/log.ts';
import { newId } from '../kernel/records/ids.ts';
import { events, type RunningEvents } from '../subgraphs/events/subgraph.ts';
import { Webhook } from '../subgraphs/events/webhooks/webhook.entity.ts';
import { generateSecret } from '../subgraphs/events/webhooks/webhook-secret.ts';
import { ticketCreated, ticketEvents } from '../subgraphs/support/tickets/ticket.events.ts';
import { openScratch } from './scratch-database.ts';

const SECRET_KEY = 'a secret for benchmarks, long enough';

export const ticketEvent = (organizationId: string): DomainEvent => ({
  type: ticketCreated.type,
  organizationId,
  occurredAt: new Date(),
  subject: { type: 'Ticket', id: 'ticket_bench' },
  data: ticketCreated.type.example,
});

/**
 * Starts the webhook receiver (webhooks-receiver.ts) in another process, and gets the deliveries that it has received.
 */
export class Receiver {
  private constructor(
    private readonly child: ChildProcess,
    readonly url: string,
  ) {}

  static async start(): Promise<Receiver> {
    const child = fork(fileURLToPath(new URL('./webhooks-receiver.js', import.meta.url)), { serialization: 'advanced' });
    const [port] = (await once(child, 'message')) as [number];
    return new Receiver(child, `http://127.0.0.1:${port}/hook`);
  }

  /** Waits until `count` deliveries have arrived since the last call of `taken`, and returns these deliveries. */
  async taken(count = 0): Promise<[id: string, at: number][]> {
    this.child.send(count);
    const [arrivals] = (await once(this.child, 'message')) as [[string, number][]];
    return arrivals;
  }

  async stop(): Promise<void> {
    this.child.disconnect();
    await once(this.child, 'exit');
  }
}

/** The events domain and its relay, on a new database. */
export class BenchPlatform {
  readonly #organizationId = newId('organization');

  private constructor(
    private readonly attached: Attached,
    private readonly running: RunningEvents,
    readonly stop: () => Promise<void>,
  ) {}

  static async start(): Promise<BenchPlatform> {
    const log = createLogger({ level: 'error' });
    const { database, drop } = await openScratch(process.env.BENCH_DATABASE_URL, 'bench_webhooks', log);
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
      declaredTypes: [...ticketEvents, ...events.events],
      reactions: [],
      logConsumers: [],
      live: [],
      retentionDays: 30,
      secrets: new Secrets([SECRET_KEY]),
      allowPrivateUrls: true,
    });
    await jobs.start();
    await running.start();
    const relay = new Relay([{ schema: 'events', database, orm: attached.orm }], running, log);
    await relay.start();
    return new BenchPlatform(attached, running, async () => {
      await relay.stop();
      await running.stop();
      await jobs.stop();
      await drop();
    });
  }

  async subscribe(url: string, count: number): Promise<void> {
    const box = new SecretBox([SECRET_KEY], 'events.webhook-secret');
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

  /** Records an event and returns the time of its commit. */
  async record(): Promise<number> {
    await this.attached.orm.em.fork().transactional((tx) => record(tx, ticketEvent(this.#organizationId)));
    return performance.timeOrigin + performance.now();
  }

  /** Returns true while the log still has events for which no deliveries are planned. */
  async isPlanning(): Promise<boolean> {
    const behind = `select 1 from "events"."consumer" where "name" = 'webhooks' and "last_sequence" < (select max("sequence") from "events"."event_log")`;
    return (await this.attached.rows.query(behind, [])).length > 0;
  }

  async isDelivering(): Promise<boolean> {
    const busy = 'select 1 from "events"."webhook" where "lane_until" is not null or "due_at" is not null';
    return (await this.attached.rows.query(busy, [])).length > 0;
  }
}
