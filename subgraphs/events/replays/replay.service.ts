import type { Clock } from '../../../kernel/clock.ts';
import type { EntityManager } from '../../../kernel/database/database.ts';
import { InvalidParameters } from '../../../kernel/errors/errors.ts';
import type { RecordLoader } from '../../../kernel/records/loaders.ts';
import { orNotFound } from '../../../kernel/records/records.ts';
import { DeliveryStatus } from '../deliveries/delivery.entity.ts';
import type { EventTypes } from '../event-types/event-types.ts';
import type { EventLog } from '../log/event-log.ts';
import type { Webhook } from '../webhooks/webhook.entity.ts';
import { WebhookInactive } from '../webhooks/webhook.errors.ts';
import type { WebhookReplayInput } from './replay.inputs.ts';
import type { WebhookReplay } from './replay.types.ts';
import type { ReplayWorker } from './replay.worker.ts';

const NOT_DELIVERED = [DeliveryStatus.SKIPPED, DeliveryStatus.EXHAUSTED];

export interface ReplayServiceDeps {
  em: EntityManager;
  clock: Clock;
  eventTypes: EventTypes;
  eventLog: EventLog;
  replays: ReplayWorker;
  loader: RecordLoader<Webhook>;
}

/** Replays events to a webhook of the caller's organization. */
export class ReplayService {
  constructor(private readonly deps: ReplayServiceDeps) {}

  /**
   * Starts a replay. It includes only events that the delivery planner has already processed. The planner itself plans
   * deliveries for later events.
   * @throws ResourceNotFound, WebhookInactive, InvalidParameters
   */
  async start(webhookId: string, { since, until: wishedEnd, events, status }: WebhookReplayInput): Promise<WebhookReplay> {
    const { em, clock, eventLog, replays, loader } = this.deps;
    const webhook = orNotFound(await loader.load(webhookId), 'webhook', webhookId);
    if (!webhook.active) throw new WebhookInactive(webhookId);

    const startedAt = clock.now();
    const until = wishedEnd ?? startedAt;
    const { organizationId } = webhook;
    const names = this.#names(webhook, events);
    const { count, first, last } = await eventLog.span({ organizationId, names, since, until });
    const replay = { webhookId, organizationId, names: [...names], status: status ?? NOT_DELIVERED, since, until, startedAt };
    if (count > 0) await em.transactional((tx) => replays.enqueue(tx, { ...replay, after: first - 1, upTo: last }));
    return { webhookId, since, until, events: count };
  }

  /**
   * Returns the names of the events that the webhook subscribes to and that match the caller's patterns.
   * @throws InvalidParameters if there are no such events
   */
  #names({ events: own, family }: Webhook, wished: readonly string[] | null | undefined): ReadonlySet<string> {
    const { eventTypes } = this.deps;
    const covered = eventTypes.namesOf(own, 'events', family);
    if (!wished) return covered;
    const names = new Set([...eventTypes.namesOf(wished, 'events', family)].filter((name) => covered.has(name)));
    if (names.size > 0) return names;
    throw new InvalidParameters([
      { field: 'events', value: wished, reason: 'must match at least one event that this webhook subscribes to' },
    ]);
  }
}
