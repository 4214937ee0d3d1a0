import { type EventType, matches } from '../../../kernel/events/events.ts';
import type { EventRecord } from '../log/event.entity.ts';
import type { Webhook, WebhookFilters, WebhookPriority } from './webhook.entity.ts';

type Subscription = Pick<Webhook, 'events' | 'family' | 'filters'>;
type MatchedEvent = Pick<EventRecord, 'event' | 'family' | 'payload'>;

/**
 * Whether a webhook gets an event: by its patterns, its family, and for tickets by its filters (specification 2.8, 6). `type` is
 * the event's registered type.
 */
export function wants(
  { events, family, filters }: Subscription,
  event: MatchedEvent,
  type: Pick<EventType, 'requires'> | undefined,
): boolean {
  if (family && family !== event.family) return false;
  if (!events.some((pattern) => matches(pattern, { ...type, name: event.event, family: event.family }))) return false;
  return !filters || event.family !== 'support' || passes(filters, event.payload);
}

/** Whether an event passes the filters. An event without the filtered property does not. */
function passes({ customerIds, priorities }: WebhookFilters, payload: string): boolean {
  const { data } = JSON.parse(payload) as { data: { ticket?: { customer_id?: string | null; priority?: string } } };
  const { customer_id: customerId, priority } = data.ticket ?? {};
  if (customerIds?.length && !customerIds.includes(customerId ?? '')) return false;
  return !priorities?.length || priorities.includes(priority as WebhookPriority);
}
