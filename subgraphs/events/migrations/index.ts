import { eventTables } from './0001-events.ts';

/** In order. */
export const migrations = [eventTables];
