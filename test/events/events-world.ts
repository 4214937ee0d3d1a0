import { onTestFinished } from 'vitest';
import { z } from 'zod';
import { Secrets } from '../../kernel/access/secrets.ts';
import { defineEvent, type LogConsumer, type LoggedEvent, type Reaction } from '../../kernel/events/events.ts';
import { Relay } from '../../kernel/events/relay.ts';
import { newId } from '../../kernel/records/ids.ts';
import type { EventsPorts } from '../../subgraphs/events/core.ts';
import { events, type RunningEvents } from '../../subgraphs/events/subgraph.ts';
import { DomainProcess, DomainWorld, SECRET_KEY, silent, storeFor } from '../support/domain-world.ts';
import type { Json } from '../tenant.ts';

const happened = defineEvent({
  name: 'thing.happened',
  family: 'support',
  description: 'Something.',
  data: z.strictObject({ index: z.number() }),
  example: { index: 1 },
});

type StartOptions = Partial<Pick<EventsPorts, 'allowPrivateUrls' | 'planOf' | 'deliveryTimeouts'>> & {
  reactions?: Reaction[];
  logConsumers?: LogConsumer[];
};

/** The events domain without other domains. */
export class EventsWorld extends DomainWorld {
  static async open(): Promise<EventsWorld> {
    return new EventsWorld(await storeFor(events));
  }

  /** Starts a new process of the events domain. */
  async start({
    reactions = [],
    logConsumers = [],
    allowPrivateUrls = true,
    planOf,
    deliveryTimeouts,
  }: StartOptions = {}): Promise<Process> {
    const ports = this.ports();
    const running = events.start({
      ...ports,
      declaredTypes: [happened, ...events.events],
      reactions,
      logConsumers,
      live: [],
      secrets: new Secrets([SECRET_KEY]),
      allowPrivateUrls,
      planOf,
      retentionDays: 30,
      deliveryTimeouts,
    });
    return new Process(this, running, ports.jobs).begin();
  }
}

export class Process extends DomainProcess<RunningEvents> {
  /** Appends `count` events to the log like the relay does. Their `data.index` counts up from `from`. */
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
    const { data, errors } = await this.execute(source, variables);
    return { data, error: errors?.[0]?.extensions };
  }

  async subscribe(url: string): Promise<string> {
    const { data } = await this.graphql('mutation($url: String!) { createWebhook(input: { url: $url, events: ["thing.*"] }) { id } }', {
      url,
    });
    return data.createWebhook.id;
  }

  /** Starts a relay that moves the events domain's own events from its outbox to the event log. */
  async relay(): Promise<void> {
    const { database, orm } = this.world.store;
    const relay = new Relay([{ schema: 'events', database, orm }], this.running, silent);
    await relay.start();
    onTestFinished(() => relay.stop());
  }

  /** Updates the webhook without a change of its behavior: only the description changes. */
  async touch(id: string): Promise<void> {
    await this.graphql('mutation($id: ID!, $description: String) { updateWebhook(id: $id, input: { description: $description }) { id } }', {
      id,
      description: newId('request'),
    });
  }
}
