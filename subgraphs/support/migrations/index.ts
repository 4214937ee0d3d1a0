import { tickets } from './0001-tickets.ts';
import { integrations } from './0005-integrations.ts';

/** In order. */
export const migrations = [tickets, integrations];
