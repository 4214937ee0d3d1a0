import type { EventType } from '../../../kernel/events.ts';

type Announced = Pick<EventType, 'name' | 'family'>;
const of = (family: string, ...names: string[]): Announced[] => names.map((name) => ({ name, family }));

/**
 * The names of specification section 6. A subscription may ask for each of them, also for one whose domain does not emit it
 * yet: it receives the events from the day they come. `GET /webhooks/events` lists only what is emitted.
 */
export const announcedEvents: readonly Announced[] = [
  ...of('service', 'service.provisioned', 'service.modified', 'service.down', 'service.restored', 'service.performance_alert'),
  ...of('service', 'service.maintenance_scheduled', 'service.decommissioned', 'service.status_changed'),
  ...of('billing', 'invoice.created', 'invoice.generated', 'invoice.paid', 'invoice.overdue', 'payment.successful', 'payment.received'),
  ...of('billing', 'payment.failed', 'subscription.created', 'subscription.cancelled', 'usage.threshold'),
  ...of('support', 'ticket.created', 'ticket.updated', 'ticket.resolved', 'ticket.escalated', 'comment.added', 'sla.breach'),
];
