import { type EventType, matches } from '../../../kernel/events/events.ts';
import type { EventRecord } from '../log/event.entity.ts';
import type { Webhook, WebhookFilters, WebhookPriority } from './webhook.entity.ts';

type Subscription = Pick<Webhook, 'events' | 'family' | 'filters'>;
type MatchedEvent = Pick<EventRecord, 'event' | 'family' | 'payload'>;

/**
 * Returns whether a webhook receives an event. This depends on its patterns, its family, and for ticket events on its
 * filters (specification 2.8, 6). `type` is the declared type of the event.
 */
export function wants(
  { events, family, filters }: Subscription,
  event: MatchedEvent,
  type: Pick<EventType, 'requires' | 'isInternal'> | undefined,
): boolean {
  if (family && family !== event.family) return false;
  if (!events.some((pattern) => matches(pattern, { ...type, name: event.event, family: event.family }))) return false;
  return !filters || event.family !== 'support' || passes(filters, event.payload);
}

/** Returns whether an event passes the filters. An event that lacks a filtered property does not pass. */
function passes({ customerIds, priorities }: WebhookFilters, payload: string): boolean {
  const { data } = JSON.parse(payload) as { data: { ticket?: { customer_id?: string | null; priority?: string } } };
  const { customer_id: customerId, priority } = data.ticket ?? {};
  if (customerIds?.length && !customerIds.includes(customerId ?? '')) return false;
  return !priorities?.length || priorities.includes(priority as WebhookPriority);
}
