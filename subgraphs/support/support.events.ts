import { commentEvents } from './comments/comment.events.ts';
import { linksRevoked } from './notifications/notification.events.ts';
import { ticketEvents } from './tickets/ticket.events.ts';

/** The events of the support family: what happens to tickets (specification 6). */
export const supportEvents = [...ticketEvents, ...commentEvents, linksRevoked.type];
