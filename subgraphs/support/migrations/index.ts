import { tickets } from './0001-tickets.ts';
import { conversation } from './0002-conversation.ts';
import { integrations } from './0005-integrations.ts';

/** In order. */
export const migrations = [tickets, conversation, integrations];
