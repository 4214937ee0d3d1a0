import { tickets } from './0001-tickets.ts';
import { knowledge } from './0010-knowledge.ts';

/** In order. */
export const migrations = [tickets, knowledge];
