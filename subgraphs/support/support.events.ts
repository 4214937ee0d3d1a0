import { commentEvents } from './comments/comment.events.ts';
import { linksRevoked } from './notifications/notification.events.ts';
import { ticketEvents } from './tickets/ticket.events.ts';

/** Event types of the support family (specification 6). */
export const supportEvents = [...ticketEvents, ...commentEvents, linksRevoked.type];
