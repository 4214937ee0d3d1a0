import type { Clock } from '../../../kernel/clock.ts';
import type { EntityManager } from '../../../kernel/database.ts';
import { newId } from '../../../kernel/ids.ts';
import type { ConsumerTask } from '../consumers/consumer.ts';
import type { EventRecord } from '../log/event.entity.ts';
import type { Webhook } from '../webhooks/webhook.entity.ts';
import { wants } from '../webhooks/webhook.matching.ts';
import { dueNow } from './delivery.store.ts';

/** A row of the table `webhook`, as far as matching needs it. */
interface Subscriber {
  id: string;
  organization_id: string;
  url: string;
  events: string[];
  family: Webhook['family'];
  filters: Webhook['filters'];
}

/** Writes a delivery for each webhook that wants each event, and then has those webhooks delivered to. */
export function plannerTask(clock: Clock, wake: (webhookId: string) => void): ConsumerTask<ReadonlySet<string>> {
  return {
    name: 'webhooks',
    async handle(tx, events) {
      const subscribers = await subscribersOf(tx, events);
      const planned = events.flatMap((event) =>
        subscribers
          .filter((webhook) => webhook.organization_id === event.organizationId && wants(webhook, event))
          .map((webhook) => deliveryOf(event, webhook)),
      );
      const webhookIds = new Set(planned.map(({ webhook_id }) => webhook_id));
      if (planned.length > 0) await insert(tx, planned, clock.now());
      await dueNow(tx, [...webhookIds]);
      return webhookIds;
    },
    committed: (webhookIds) => webhookIds.forEach(wake),
  };
}

const deliveryOf = (event: EventRecord, { id, organization_id, url }: Subscriber) => ({
  id: newId('delivery'),
  organization_id,
  webhook_id: id,
  event_id: event.id,
  event: event.event,
  sequence: event.sequence,
  occurred_at: event.occurredAt,
  url,
});

const schemaOf = (tx: EntityManager): string => `"${tx.config.getAll().schema}"`;

/** The lock keeps a webhook from being deleted between this and the commit. */
async function subscribersOf(tx: EntityManager, events: readonly EventRecord[]): Promise<Subscriber[]> {
  const organizations = [...new Set(events.map(({ organizationId }) => organizationId))];
  return tx.execute<Subscriber[]>(
    `select "id", "organization_id", "url", "events", "family", "filters" from ${schemaOf(tx)}."webhook"
     where "active" and "organization_id" in (${organizations.map(() => '?').join(', ')}) order by "id" for key share`,
    organizations,
  );
}

const COLUMNS =
  '"id" text, "organization_id" text, "webhook_id" text, "event_id" text, "event" text, "sequence" bigint, "occurred_at" timestamptz, "url" text';
const NAMES = COLUMNS.replace(/ (text|bigint|timestamptz)/g, '');

async function insert(tx: EntityManager, planned: readonly object[], now: Date): Promise<void> {
  await tx.execute(
    `insert into ${schemaOf(tx)}."delivery" (${NAMES}, "attempt", "status", "next_attempt_at", "created_at")
     select ${NAMES}, 0, 'pending', ?::timestamptz, ?::timestamptz from json_to_recordset(?::json) as d(${COLUMNS})`,
    [now, now, JSON.stringify(planned)],
  );
}
