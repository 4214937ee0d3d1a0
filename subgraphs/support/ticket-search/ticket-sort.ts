import { TicketStatus } from '../ticket.states.ts';

/** Fields that callers can sort by. The values are keys of SORT_FIELDS. */
export enum TicketSortField {
  CREATED_AT = 'createdAt',
  UPDATED_AT = 'updatedAt',
  NUMBER = 'number',
  TITLE = 'title',
  STATUS = 'lifeCycle',
  PRIORITY = 'urgency',
  RESOLUTION_DUE = 'resolutionDue',
}

/** All ticket states in the order of the life cycle, in which the enum declares them. */
export const LIFE_CYCLE: readonly string[] = Object.values(TicketStatus);

/** A sort key: its column, the SQL expressions that order it, and the types of its values in SQL and in a cursor. */
export interface SortField {
  column: string;
  type: string;
  runtimeType: string;
  /** All possible values, if the field has only few values. */
  items?: readonly string[];
  /**
   * SQL expressions that order the value, most significant first. Default: the field is ordered by the value itself.
   */
  orderedBy?(value: string): string[];
}
const instantIn = (column: string): SortField => ({ column, type: 'timestamptz', runtimeType: 'Date' });
const textIn = (column: string): SortField => ({ column, type: 'text', runtimeType: 'string' });
const numberIn = (column: string): SortField => ({ column, type: 'float8', runtimeType: 'number' });

/** Sort fields of ticket lists: fields of Ticket, and `relevance` for searches. */
export const SORT_FIELDS: Readonly<Record<string, SortField>> = {
  createdAt: instantIn('created_at'),
  updatedAt: instantIn('updated_at'),
  resolutionDue: instantIn('resolution_due'),
  title: textIn('title'),
  number: { ...textIn('number'), orderedBy: (number) => [`length(${number})`, number] },
  // a cursor contains the status itself, not the position of the status, so the cursor remains valid when a status is
  // added to the enum
  lifeCycle: {
    ...textIn('status'),
    items: LIFE_CYCLE,
    orderedBy: (status) => [`array_position('{${LIFE_CYCLE.join()}}'::text[], ${status})`],
  },
  urgency: numberIn('urgency'),
  relevance: numberIn('relevance'),
  id: textIn('id'),
  // alphabetical order, used only for cursors of release 1.2 and earlier (`continued` in ticket-search.ts)
  status: { ...textIn('status'), items: LIFE_CYCLE },
} satisfies Record<`${TicketSortField}` | 'relevance' | 'id' | 'status', SortField>;
