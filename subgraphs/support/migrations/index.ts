import { tickets } from './0001-tickets.ts';

/** In order. */
export const migrations = [tickets];
