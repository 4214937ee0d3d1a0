import { graphql } from 'graphql';
import { onTestFinished } from 'vitest';
import { z } from 'zod';
import { TestClock } from '../../kernel/clock.ts';
import type { Attached, Database } from '../../kernel/database.ts';
import { defineEvent, type LoggedEvent, type Reaction } from '../../kernel/events.ts';
import { Graph } from '../../kernel/graph.ts';
import { newId } from '../../kernel/ids.ts';
import { Jobs } from '../../kernel/jobs.ts';
import { createLogger } from '../../kernel/log.ts';
import { Principal } from '../../kernel/principal.ts';
import { Relay } from '../../kernel/relay.ts';
import { type EventsPorts, events, type RunningEvents } from '../../subgraphs/events/subgraph.ts';
import { emptyDatabase } from '../support/empty-database.ts';
import type { Json } from '../tenant.ts';

const log = createLogger({ level: 'silent' });
const happened = defineEvent({
  name: 'thing.happened',
  family: 'support',
  description: 'Something.',
  data: z.strictObject({ index: z.number() }),
  example: { index: 1 },
});

type StartOptions = Partial<Pick<EventsPorts, 'allowPrivateUrls' | 'planOf' | 'deliveryTimeouts'>> & { reactions?: Reaction[] };

/** The events domain alone, on a database of its own: for what happens between processes, and with other settings than the rig's. */
export class EventsWorld {
  readonly clock = new TestClock();
  readonly organizationId = newId('organization');

  private constructor(
    readonly database: Database,
    readonly attached: Attached,
  ) {}

  static async open(): Promise<EventsWorld> {
    const { database, drop } = await emptyDatabase(log);
    onTestFinished(drop);
    const attached = await database.attach({ schema: 'events', entities: events.entities, migrations: events.migrations });
    return new EventsWorld(database, attached);
  }

  /** Starts a process: another one each time. */
  async start({ reactions = [], allowPrivateUrls = true, planOf, deliveryTimeouts }: StartOptions = {}): Promise<Process> {
    const jobs = new Jobs(this.database, log);
    const running = events.start({
      ...this.attached,
      database: this.database,
      jobs,
      clock: this.clock,
      graph: new Graph(),
      log,
      origin: 'http://127.0.0.1',
      eventTypes: [happened, ...events.events],
      reactions,
      readers: [],
      live: [],
      secretKey: 'a secret for tests that is long enough',
      allowPrivateUrls,
      planOf,
      retentionDays: 30,
      deliveryTimeouts,
    });
    await jobs.start();
    await running.start();
    const process = new Process(this, running, jobs);
    onTestFinished(() => process.stop());
    return process;
  }

  /** What the schema of the database would need to be as the entities say. */
  drift(): Promise<string> {
    return this.attached.orm.schema.getUpdateSchemaSQL({ wrap: false });
  }

  query<R extends object>(text: string): Promise<R[]> {
    return this.attached.rows.query<R>(text, []);
  }
}

export class Process {
  #isStopped = false;

  constructor(
    private readonly world: EventsWorld,
    readonly running: RunningEvents,
    readonly jobs: Jobs,
  ) {}

  /** Appends events as the relay does; each says its place in `data.index`. */
  async append(count: number, from = 0): Promise<void> {
    const { clock, organizationId } = this.world;
    const batch = Array.from({ length: count }, (_, offset): Omit<LoggedEvent, 'sequence'> => {
      const [id, occurredAt] = [newId('event'), clock.now()];
      const payload = JSON.stringify({
        id,
        event: happened.name,
        timestamp: occurredAt,
        organization_id: organizationId,
        data: { index: from + offset },
      });
      return { id, organizationId, event: happened.name, subject: { type: 'Thing', id: 'thing_1' }, accountId: null, occurredAt, payload };
    });
    await this.running.append(batch);
  }

  async graphql(source: string, variables: Record<string, unknown> = {}): Promise<{ data: Json; error: Json }> {
    // as they would come over HTTP
    const variableValues = JSON.parse(JSON.stringify(variables)) as Record<string, unknown>;
    const { subgraph } = this.running;
    const principal = Principal.system('test', this.world.organizationId);
    const contextValue = subgraph.createContext({ requestId: 'req_1', principal, log });
    const { data, errors } = await graphql({ schema: subgraph.schema, source, variableValues, contextValue });
    return { data, error: errors?.[0]?.extensions };
  }

  async subscribe(url: string): Promise<string> {
    const { data } = await this.graphql('mutation($url: String!) { createWebhook(input: { url: $url, events: ["thing.*"] }) { id } }', {
      url,
    });
    return data.createWebhook.id;
  }

  /** Begins to take the events that the domain itself recorded into its log. */
  async relay(): Promise<void> {
    const { database, attached } = this.world;
    const relay = new Relay([{ schema: 'events', database, orm: attached.orm }], (batch) => this.running.append(batch), log);
    await relay.start();
    onTestFinished(() => relay.stop());
  }

  /** Changes the webhook in nothing but its description. */
  async touch(id: string): Promise<void> {
    await this.graphql('mutation($id: ID!, $description: String) { updateWebhook(id: $id, input: { description: $description }) { id } }', {
      id,
      description: newId('request'),
    });
  }

  async stop(): Promise<void> {
    if (this.#isStopped) return;
    this.#isStopped = true;
    await this.running.stop();
    await this.jobs.stop();
  }
}
