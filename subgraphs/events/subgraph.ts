import type { Domain, LiveField, Ports, RunningDomain } from '../../kernel/domain.ts';
import type { EventReader, EventType, Reaction } from '../../kernel/events.ts';
import { buildSubgraph } from '../../kernel/graphql/build-subgraph.ts';
import { RecordReader } from '../../kernel/loaders.ts';
import type { Metrics } from '../../kernel/metrics.ts';
import { organizationEm } from '../../kernel/organization.filter.ts';
import type { EventSink } from '../../kernel/relay.ts';
import { SecretBox } from '../../kernel/secret-box.ts';
import { UrlGuard } from '../../kernel/ssrf.ts';
import type { Subgraph } from '../../kernel/subgraph.ts';
import { CatalogueResolver } from './catalogue/catalogue.resolver.ts';
import { Catalogue } from './catalogue/catalogue.ts';
import { describeEventType } from './catalogue/event-type.ts';
import { ConsumerCursor } from './consumers/consumer.entity.ts';
import { Consumer } from './consumers/consumer.ts';
import { reactionsTask } from './consumers/reactions.ts';
import { readerTask } from './consumers/readers.ts';
import type { EventsContext } from './context.ts';
import { Delivery } from './deliveries/delivery.entity.ts';
import { DELIVERY_CHANNEL, DeliveryFeed } from './deliveries/delivery.feed.ts';
import { DeliveryPlanner } from './deliveries/delivery.planner.ts';
import { DeliveryResolver } from './deliveries/delivery.resolver.ts';
import { DeliveryService } from './deliveries/delivery.service.ts';
import { DeliveryLanes } from './dispatch/delivery.lanes.ts';
import { DeliverySender, type DeliveryTimeouts } from './dispatch/delivery.sender.ts';
import { SettlementStore } from './dispatch/delivery.settlement.ts';
import { Settler } from './dispatch/delivery.settler.ts';
import { DeliveryStore } from './dispatch/delivery.store.ts';
import { DeliveryWorker } from './dispatch/delivery.worker.ts';
import { EventRecord } from './log/event.entity.ts';
import { EVENT_LOG_CHANNEL, EventLog } from './log/event.log.ts';
import { EventPartitions } from './log/event.partitions.ts';
import { EventResolver } from './log/event.resolver.ts';
import { EventService } from './log/event.service.ts';
import { Retention } from './log/retention.ts';
import { migrations } from './migrations/index.ts';
import { DeliveryQuota, type PlanOf } from './quota/delivery.quota.ts';
import { ReplayResolver } from './replays/replay.resolver.ts';
import { ReplayService } from './replays/replay.service.ts';
import { ReplayWorker } from './replays/replay.worker.ts';
import { Follower } from './stream/follower.ts';
import { liveFields } from './stream/live.fields.ts';
import { StreamResolver } from './stream/stream.resolver.ts';
import { StreamService } from './stream/stream.service.ts';
import { Webhook } from './webhooks/webhook.entity.ts';
import { webhookEvents } from './webhooks/webhook.events.ts';
import { WebhookResolver } from './webhooks/webhook.resolver.ts';
import { WebhookService } from './webhooks/webhook.service.ts';

/** What the events domain is given beside the ports of every domain. */
export interface EventsPorts extends Ports {
  /** Of all domains, this one's included. */
  eventTypes: readonly EventType[];
  reactions: readonly Reaction[];
  readers: readonly EventReader[];
  /** What the domains declare that can be followed. */
  live: readonly LiveField[];
  /** The platform's secret, from which the one for signing secrets at rest is derived. */
  secretKey: string;
  /** Webhooks may be http and lead to private addresses: development and tests. */
  allowPrivateUrls: boolean;
  /** Decides how many deliveries a month allows. Default: no organization has a limit. */
  planOf?: PlanOf | undefined;
  /** How long events are kept. */
  retentionDays: number;
  /** Default: 5 s to connect, 10 s for all of an attempt. */
  deliveryTimeouts?: DeliveryTimeouts | undefined;
  metrics?: Metrics;
}

export interface RunningEvents extends RunningDomain {
  /** Takes the relay's events into the log. */
  append: EventSink;
  /** What forgets old events, by itself once it was started. */
  retention: Retention;
  /** Begins to follow the log: live streams, webhooks, reactions. After the job queues have started. */
  start(): Promise<void>;
  /** Ends streams and consumers, and lets deliveries that are under way end. */
  stop(): Promise<void>;
}

/** Events: their log and live stream, webhooks and their deliveries (specification 2.8, 4.8, 6). */
export const events: Domain<EventsPorts, RunningEvents> = {
  name: 'events',
  entities: [EventRecord, ConsumerCursor, Webhook, Delivery],
  migrations,
  events: webhookEvents,
  start(ports) {
    const parts = createParts(ports);
    const { eventLog, followers, consumers, worker, store, retention } = parts;
    return {
      subgraph: createSubgraph(ports, parts),
      append: (batch) => eventLog.append(batch),
      retention,
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
        for (const consumer of consumers) consumer.start();
      },
      async stop() {
        await Promise.all([retention, ...Object.values(followers), ...consumers].map((one) => one.stop()));
        await worker.stop();
      },
    };
  },
};

type Parts = ReturnType<typeof createParts>;

const unlimited: PlanOf = async () => 'custom';

function createParts(ports: EventsPorts) {
  const { orm, rows, database, jobs, clock, log, eventTypes, reactions, readers, secretKey, allowPrivateUrls } = ports;
  const { planOf = unlimited, retentionDays, deliveryTimeouts, metrics } = ports;
  const catalogue = new Catalogue(eventTypes);
  const partitions = new EventPartitions(orm);
  const eventLog = new EventLog(orm, rows, catalogue, partitions);
  const retention = new Retention({ rows, partitions, days: retentionDays, clock, log });
  const guard = new UrlGuard({ allowPrivate: allowPrivateUrls });
  const secrets = new SecretBox(secretKey, 'events.webhook-secret');
  const sender = new DeliverySender(guard, clock, deliveryTimeouts);
  const store = new DeliveryStore(orm, rows, eventLog);
  const settler = new Settler(new SettlementStore(orm, rows, database), log);
  const lanes = new DeliveryLanes({ store, settler, sender, secrets, clock, log, metrics });
  const worker = new DeliveryWorker({ store, lanes, clock, log });
  const quota = new DeliveryQuota(orm, rows, planOf);
  const wake = (webhookId: string): void => lanes.wake(webhookId);
  const replays = new ReplayWorker({ orm, catalogue, eventLog, quota, jobs, clock, wake });
  const following = { orm, rows, eventLog, log };
  const consumers = [
    new Consumer(following, new DeliveryPlanner({ clock, catalogue, quota, wake })),
    new Consumer(following, reactionsTask(reactions, jobs, eventLog, log)),
    ...readers.map((reader) => new Consumer(following, readerTask(reader))),
  ];
  const followers = { events: new Follower(eventLog, log), deliveries: new Follower(new DeliveryFeed(orm, rows), log) };
  return { catalogue, eventLog, guard, secrets, sender, store, lanes, worker, consumers, retention, followers, quota, replays, wake };
}

function createSubgraph(ports: EventsPorts, parts: Parts): Subgraph {
  const { orm, clock } = ports;
  const { catalogue, eventLog, guard, secrets, sender, followers, quota, replays, wake } = parts;
  const eventReader = new RecordReader(ports, EventRecord);
  const webhookReader = new RecordReader(ports, Webhook);
  const eventTypes = catalogue.types.map(describeEventType).sort((one, other) => one.name.localeCompare(other.name));
  return buildSubgraph<EventsContext>({
    name: 'events',
    resolvers: [CatalogueResolver, EventResolver, StreamResolver, WebhookResolver, DeliveryResolver, ReplayResolver],
    extension: liveFields(ports.live),
    references: {
      Event: { requires: 'webhooks:read', load: ({ id = '' }, { events: log }) => log.find(id) },
      Webhook: { requires: 'webhooks:read', load: ({ id = '' }, { loaders }) => loaders.webhooks.load(id) },
    },
    createContext({ principal }) {
      const { organizationId } = principal;
      const em = organizationEm(orm, organizationId);
      const loader = webhookReader.forOrganization(organizationId);
      const readable = new EventService({
        em,
        principal,
        catalogue,
        loader: eventReader.forOrganization(organizationId),
        recent: eventLog.recent,
        retentionDays: ports.retentionDays,
      });
      return {
        principal,
        eventTypes,
        events: readable,
        stream: new StreamService({ organizationId, events: readable, webhooks: loader, followers }),
        webhooks: new WebhookService({ em, principal, clock, catalogue, guard, secrets, loader, wake }),
        deliveries: new DeliveryService({ em, clock, catalogue, sender, secrets, loader, quota, organizationId, wake }),
        replays: new ReplayService({ em, clock, catalogue, eventLog, replays, loader, retentionDays: ports.retentionDays }),
        loaders: { webhooks: loader },
      };
    },
  });
}
