import { tickets } from './0001-tickets.ts';
import { conversation } from './0002-conversation.ts';
import { routing } from './0004-routing.ts';

/** In order. */
export const migrations = [tickets, conversation, routing];
