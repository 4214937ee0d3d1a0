import type { Secrets } from '../../kernel/access/secrets.ts';
import type { LiveField, Ports } from '../../kernel/domain.ts';
import type { EventType, LogConsumer, Reaction } from '../../kernel/events/events.ts';
import type { Metrics } from '../../kernel/metrics/metrics.ts';
import type { RequestTimeouts } from '../../kernel/outbound/connection-problem.ts';
import { UrlGuard } from '../../kernel/outbound/ssrf.ts';
import { RecordReader } from '../../kernel/records/record-reader.ts';
import { Lease } from '../../kernel/work/lease.ts';
import { RetentionTask } from '../../kernel/work/retention.ts';
import { Consumer } from './consumers/consumer.ts';
import { logConsumerTask } from './consumers/log-consumers.ts';
import { reactionsTask } from './consumers/reactions.ts';
import { DELIVERY_CHANNEL, DeliveryFeed } from './deliveries/delivery-feed.ts';
import { DeliveryPlanner } from './deliveries/delivery-planner.ts';
import { DeliveryRemoval } from './deliveries/delivery-removal.ts';
import { DeliveryStore } from './dispatch/delivery.store.ts';
import { DeliveryWorker } from './dispatch/delivery.worker.ts';
import { DeliveryResultStore } from './dispatch/delivery-result.store.ts';
import { DeliveryResultWriter } from './dispatch/delivery-result-writer.ts';
import { DeliverySender } from './dispatch/delivery-sender.ts';
import { WebhookQueues } from './dispatch/webhook-queues.ts';
import { describeEventType } from './event-types/event-type.types.ts';
import { EventTypes } from './event-types/event-types.ts';
import { EventRecord } from './log/event.entity.ts';
import { eventRetention } from './log/event.retention.ts';
import { EventLog } from './log/event-log.ts';
import { eventPartitions } from './log/event-partitions.ts';
import { EventVerification } from './log/event-verification.ts';
import { DeliveryQuota, type PlanOf } from './quota/delivery-quota.ts';
import { ReplayWorker } from './replays/replay.worker.ts';
import { WEBHOOK_SECRETS } from './sealed.ts';
import { Follower } from './stream/follower.ts';
import { Webhook } from './webhooks/webhook.entity.ts';
import { urlBackfill } from './webhooks/webhook-url.ts';

/** Dependencies of the events domain, in addition to the dependencies of every domain. */
export interface EventsPorts extends Ports {
  /** Event types of all domains, including the events domain. */
  declaredTypes: readonly EventType[];
  reactions: readonly Reaction[];
  logConsumers: readonly LogConsumer[];
  /** Typed GraphQL subscriptions that the domains declare. */
  live: readonly LiveField[];
  /** Secrets of the platform. The key that encrypts webhook secrets is derived from them. */
  secrets: Secrets;
  /** True if webhooks may use http and private network addresses. Meant for development and tests. */
  allowPrivateUrls: boolean;
  /**
   * Returns the plan of an organization. The plan determines the monthly limit of webhook deliveries. Default: no
   * limits.
   */
  planOf?: PlanOf | undefined;
  /** Number of days for which the log keeps events. */
  retentionDays: number;
  /** Timeouts of a delivery attempt. Default: 5 s to connect and 10 s for the whole attempt. */
  deliveryTimeouts?: RequestTimeouts | undefined;
  metrics?: Metrics;
}

const RETENTION_MS = 600_000;

const unlimited: PlanOf = async () => 'custom';

/** Objects that exist once per process, used by requests and background work. */
export type EventsCore = ReturnType<typeof createCore>;

export function createCore(ports: EventsPorts) {
  const { orm, rows, database, jobs, clock, log, declaredTypes, reactions, logConsumers, allowPrivateUrls } = ports;
  const { planOf = unlimited, isSuspended = async () => false, retentionDays, deliveryTimeouts, metrics, organizationLog } = ports;
  const eventTypes = new EventTypes(declaredTypes);
  const partitions = eventPartitions(orm);
  const eventLog = new EventLog(orm, rows, eventTypes, partitions);
  const retained = eventRetention({ rows, partitions, days: retentionDays, clock });
  const retention = new RetentionTask({ name: 'events.log', everyMs: RETENTION_MS, log }, () => retained);
  const guard = new UrlGuard({ allowPrivate: allowPrivateUrls });
  const secrets = ports.secrets.box(WEBHOOK_SECRETS);
  const sender = new DeliverySender(guard, clock, deliveryTimeouts);
  const store = new DeliveryStore(orm, rows, eventLog);
  const written = (): void => database.notify({ channel: DELIVERY_CHANNEL, payload: '' });
  const results = new DeliveryResultWriter(new DeliveryResultStore(orm, rows, database), written, log);
  const queues = new WebhookQueues({ store, results, sender, secrets, clock, log, metrics, isSuspended, organizationLog });
  const worker = new DeliveryWorker({ store, queues, clock, poller: database.poller });
  const quota = new DeliveryQuota(orm, rows, planOf);
  const wake = (webhookId: string): void => queues.wake(webhookId);
  const replays = new ReplayWorker({ orm, eventTypes, eventLog, quota, jobs, clock, wake });
  const leaseOf = (name: string): Lease =>
    new Lease({ rows, table: `"${orm.config.getAll().schema}"."lease"`, name, isAlone: database.pglite !== undefined });
  const following = { orm, rows, database, eventLog, log, leaseOf };
  const consumers = [
    new Consumer(following, new DeliveryPlanner({ clock, eventTypes, quota, wake })),
    new Consumer(following, reactionsTask(reactions, jobs, eventLog, log)),
    ...logConsumers.map((consumer) => new Consumer(following, logConsumerTask(consumer))),
  ];
  const followers = {
    events: new Follower(eventLog, database.poller, log),
    deliveries: new Follower(new DeliveryFeed(orm, rows), database.poller, log),
  };
  return {
    ports,
    eventTypes,
    eventTypeRecords: eventTypes.types.map(describeEventType).sort((one, other) => one.name.localeCompare(other.name)),
    eventLog,
    guard,
    secrets,
    sender,
    store,
    worker,
    leaseOf,
    consumers,
    verification: new EventVerification({ rows, eventLog, eventTypes, retentionDays, clock }),
    retained,
    retention,
    followers,
    quota,
    replays,
    removal: new DeliveryRemoval(rows, jobs),
    urls: urlBackfill({ orm, log }),
    wake,
    readers: { events: new RecordReader(ports, EventRecord), webhooks: new RecordReader(ports, Webhook) },
  };
}
