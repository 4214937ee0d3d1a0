import type { Domain, RunningDomain } from '../../kernel/domain.ts';
import type { EventSink } from '../../kernel/events/relay.ts';
import { buildSubgraph } from '../../kernel/graphql/build-subgraph.ts';
import type { RetentionTask } from '../../kernel/work/retention.ts';
import { ConsumerCursor } from './consumers/consumer.entity.ts';
import { LeaseRow } from './consumers/lease.entity.ts';
import { EventsContext } from './context.ts';
import { createCore, type EventsPorts } from './core.ts';
import { Delivery } from './deliveries/delivery.entity.ts';
import { DeliveryResolver } from './deliveries/delivery.resolver.ts';
import { DELIVERY_CHANNEL } from './deliveries/delivery-feed.ts';
import { EventTypeResolver } from './event-types/event-type.resolver.ts';
import { EventRecord } from './log/event.entity.ts';
import { EventResolver } from './log/event.resolver.ts';
import { EVENT_LOG_CHANNEL } from './log/event-log.ts';
import type { EventVerification } from './log/event-verification.ts';
import { migrations } from './migrations/index.ts';
import { organizationData } from './organization-data.ts';
import { ReplayResolver } from './replays/replay.resolver.ts';
import { sealed } from './sealed.ts';
import { liveFields } from './stream/live-fields.ts';
import { StreamResolver } from './stream/stream.resolver.ts';
import { Webhook } from './webhooks/webhook.entity.ts';
import { webhookEvents } from './webhooks/webhook.events.ts';
import { WebhookResolver } from './webhooks/webhook.resolver.ts';

export interface RunningEvents extends RunningDomain, EventSink {
  /** Deletes old events and deliveries. Runs in the background after `start`. */
  retention: RetentionTask;
  verification: EventVerification;
  /**
   * Returns since when the oldest event of the log has been waiting for its deliveries to be planned, or for a process to deliver it.
   * Undefined if no event is waiting.
   */
  oldestWaiting(): Promise<Date | undefined>;
  /** Starts live streams, webhook deliveries, reactions and consumers. Call it after the job queues have started. */
  start(): Promise<void>;
  /** Ends streams and consumers, and lets running deliveries finish. */
  stop(): Promise<void>;
}

/** The events domain: event log, live streams, webhooks and deliveries (specification 2.8, 4.8, 6). */
export const events: Domain<EventsPorts, RunningEvents> = {
  name: 'events',
  entities: [EventRecord, ConsumerCursor, LeaseRow, Webhook, Delivery],
  migrations,
  organizationData,
  sealed,
  events: webhookEvents,
  start(ports) {
    const core = createCore(ports);
    const { eventLog, followers, consumers, worker, store, retained, retention, urls } = core;
    return {
      subgraph: buildSubgraph<EventsContext>({
        name: 'events',
        resolvers: [EventTypeResolver, EventResolver, StreamResolver, WebhookResolver, DeliveryResolver, ReplayResolver],
        extension: liveFields(ports.live),
        references: {
          Event: { requires: 'webhooks:read', load: ({ id = '' }, { events: log }) => log.find(id) },
          Webhook: { requires: 'webhooks:read', load: ({ id = '' }, { loaders }) => loaders.webhooks.load(id) },
        },
        createContext: ({ principal }) => new EventsContext(core, principal),
      }),
      append: (batch) => eventLog.append(batch),
      leaseOf: core.leaseOf,
      retained,
      retention,
      verification: core.verification,
      async oldestWaiting() {
        const times = await Promise.all([eventLog.oldestUnplanned(), store.oldestWaiting(ports.clock.now())]);
        return times.filter((time) => time !== undefined).sort((one, other) => one.getTime() - other.getTime())[0];
      },
      async start() {
        if (ports.database.pglite) await store.releaseAll();
        await ports.database.listen(EVENT_LOG_CHANNEL, () => {
          followers.events.wake();
          for (const consumer of consumers) consumer.wake();
        });
        await ports.database.listen(DELIVERY_CHANNEL, () => followers.deliveries.wake());
        for (const follower of Object.values(followers)) follower.start();
        worker.start();
        retention.start();
        urls.start();
        for (const consumer of consumers) consumer.start();
      },
      async stop() {
        await Promise.all([retention, urls, ...Object.values(followers), ...consumers].map((one) => one.stop()));
        await worker.stop();
      },
    };
  },
};
