import type { Clock } from '../../../kernel/clock.ts';
import type { EntityManager } from '../../../kernel/database/database.ts';
import type { ConsumerTask } from '../consumers/consumer.ts';
import type { EventTypes } from '../event-types/event-types.ts';
import type { EventRecord } from '../log/event.entity.ts';
import type { Allowance, DeliveryQuota, Limits } from '../quota/delivery-quota.ts';
import { QUOTA_EVENT } from '../webhooks/webhook.events.ts';
import { dueNow } from '../webhooks/webhook-due.ts';
import { wants } from '../webhooks/webhook-matching.ts';
import {
  insertDeliveries,
  OVER_QUOTA,
  type Planned,
  plannedDelivery,
  SUBSCRIBER_COLUMNS,
  type Subscriber,
  schemaOf,
  WHILE_DISABLED,
} from './delivery-plan.ts';

export interface PlannerDeps {
  clock: Clock;
  eventTypes: EventTypes;
  quota: DeliveryQuota;
  /** Called for each webhook that has new pending deliveries. */
  wake(webhookId: string): void;
}

/** An event and a webhook that subscribes to it. */
type Match = readonly [EventRecord, Subscriber];

/**
 * Creates a delivery for each event and each webhook that subscribes to it. If the platform has disabled the webhook,
 * or the monthly limit of the organization is used up, the delivery is stored as skipped instead of pending. A webhook
 * that gets a pending delivery becomes due.
 */
export class DeliveryPlanner implements ConsumerTask<ReadonlySet<string>> {
  readonly name = 'webhooks';
  #limits: Limits = new Map();

  constructor(private readonly deps: PlannerDeps) {}

  async prepare(events: readonly EventRecord[]): Promise<void> {
    this.#limits = await this.deps.quota.limitsOf(events.map(({ organizationId }) => organizationId));
  }

  async handle(tx: EntityManager, events: readonly EventRecord[]): Promise<ReadonlySet<string>> {
    const matches = this.#matchesOf(events, await subscribersTo(tx, events));
    if (matches.length === 0) return new Set();
    const { clock, quota } = this.deps;
    const now = clock.now();
    const allowance = await quota.open(tx, this.#limitsOf(matches), now);
    const planned = matches.map((match) => plan(match, allowance));
    await insertDeliveries(tx, planned, now);
    await quota.close(tx, allowance);
    const webhookIds = new Set(planned.filter(({ error }) => error === null).map(({ webhook_id }) => webhook_id));
    await dueNow(tx, [...webhookIds]);
    return webhookIds;
  }

  #matchesOf(events: readonly EventRecord[], subscribers: readonly Subscriber[]): Match[] {
    const { eventTypes } = this.deps;
    return events.flatMap((event) => {
      const type = eventTypes.find(event.event);
      return subscribers
        .filter((webhook) => webhook.organization_id === event.organizationId && wants(webhook, event, type))
        .map((webhook) => [event, webhook] as const);
    });
  }

  committed(webhookIds: ReadonlySet<string>): void {
    for (const id of webhookIds) this.deps.wake(id);
  }

  /**
   * Returns the limits only of organizations that have a webhook for one of the events, because `DeliveryQuota.open` locks the counter of
   * each organization in the result.
   */
  #limitsOf(matches: readonly Match[]): Limits {
    const ids = new Set(matches.map(([, { organization_id }]) => organization_id));
    return new Map([...this.#limits].filter(([id]) => ids.has(id)));
  }
}

function plan([event, webhook]: Match, allowance: Allowance): Planned {
  if (!webhook.active) return plannedDelivery(event, webhook, WHILE_DISABLED);
  // the event that reports the reached limit is delivered although the organization has no deliveries left
  const isAllowed = event.event === QUOTA_EVENT || allowance.take(webhook.organization_id);
  return plannedDelivery(event, webhook, isAllowed ? null : OVER_QUOTA);
}

/**
 * Loads the webhooks of the events' organizations that are active or were disabled by the platform. Locks their rows,
 * so that the webhooks cannot be deleted until the transaction ends.
 */
async function subscribersTo(tx: EntityManager, events: readonly EventRecord[]): Promise<Subscriber[]> {
  const organizations = [...new Set(events.map(({ organizationId }) => organizationId))];
  return tx.execute<Subscriber[]>(
    `select ${SUBSCRIBER_COLUMNS} from ${schemaOf(tx)}."webhook"
     where ("active" or "disabled_at" is not null) and "organization_id" in (${organizations.map(() => '?').join(', ')})
     order by "id" for key share`,
    organizations,
  );
}
