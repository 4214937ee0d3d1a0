import { tickets } from './0001-tickets.ts';
import { routing } from './0004-routing.ts';

/** In order. */
export const migrations = [tickets, routing];
