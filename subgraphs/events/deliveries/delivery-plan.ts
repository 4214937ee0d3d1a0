import type { EntityManager } from '../../../kernel/database/database.ts';
import { newId } from '../../../kernel/records/ids.ts';
import type { EventRecord } from '../log/event.entity.ts';
import type { Webhook } from '../webhooks/webhook.entity.ts';
import { DeliveryStatus } from './delivery.entity.ts';

/** The columns of the table `webhook` that the planning of deliveries reads. */
export interface Subscriber {
  id: string;
  organization_id: string;
  url: string;
  events: string[];
  family: Webhook['family'];
  filters: Webhook['filters'];
  active: boolean;
}

export const SUBSCRIBER_COLUMNS = '"id", "organization_id", "url", "events", "family", "filters", "active"';

/** Reasons to skip a new delivery, as stored in the field `error` of the delivery. */
export const WHILE_DISABLED = 'the platform had disabled the webhook. Resume it and start a replay';
export const OVER_QUOTA = "the plan's deliveries of the month were used up. Replay the event in the next month or after a change of plan";

/** Row of a new delivery. The delivery is either pending, or skipped with the reason in `error`. */
export type Planned = ReturnType<typeof plannedDelivery>;

export const plannedDelivery = (event: EventRecord, { id, organization_id, url }: Subscriber, skippedFor: string | null = null) => ({
  id: newId('delivery'),
  organization_id,
  webhook_id: id,
  event_id: event.id,
  event: event.event,
  sequence: event.sequence,
  occurred_at: event.recordedAt,
  url,
  status: skippedFor === null ? DeliveryStatus.PENDING : DeliveryStatus.SKIPPED,
  error: skippedFor,
});

export const schemaOf = (tx: EntityManager): string => `"${tx.config.getAll().schema}"`;

const COLUMNS = [
  '"id" text, "organization_id" text, "webhook_id" text, "event_id" text, "event" text, "sequence" bigint',
  '"occurred_at" timestamptz, "url" text, "status" text, "error" text',
].join(', ');
const NAMES = COLUMNS.replace(/ (text|bigint|timestamptz)/g, '');

export async function insertDeliveries(tx: EntityManager, planned: readonly Planned[], now: Date): Promise<void> {
  if (planned.length === 0) return;
  await tx.execute(
    `insert into ${schemaOf(tx)}."delivery" (${NAMES}, "attempt", "next_attempt_at", "created_at")
     select ${NAMES}, 0, case when "status" = 'pending' then ?::timestamptz end, ?::timestamptz from json_to_recordset(?::json) as d(${COLUMNS})`,
    [now, now, JSON.stringify(planned)],
  );
}
