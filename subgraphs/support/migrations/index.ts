import { tickets } from './0001-tickets.ts';
import { sla } from './0003-sla.ts';

/** In order. */
export const migrations = [tickets, sla];
