import { TicketStatus } from '../ticket.states.ts';

/** What callers can sort by: the value is the key of SORT_MEMBERS. */
export enum TicketSortField {
  CREATED_AT = 'createdAt',
  UPDATED_AT = 'updatedAt',
  NUMBER = 'number',
  TITLE = 'title',
  STATUS = 'lifeCycle',
  PRIORITY = 'urgency',
  RESOLUTION_DUE = 'resolutionDue',
}

/** The life cycle, which the enum declares from the first state to the last. */
export const LIFE_CYCLE: readonly string[] = Object.values(TicketStatus);

/** A sort key: its column, the SQL expressions that order it, and the types of its values in SQL and in a cursor. */
export interface SortField {
  column: string;
  type: string;
  runtimeType: string;
  /** All values there are, where they are few. */
  items?: readonly string[];
  /** Most significant first, of a column or a parameter; the value itself where there are none. */
  orderedBy?(value: string): string[];
}
const instantIn = (column: string): SortField => ({ column, type: 'timestamptz', runtimeType: 'Date' });
const textIn = (column: string): SortField => ({ column, type: 'text', runtimeType: 'string' });
const numberIn = (column: string): SortField => ({ column, type: 'float8', runtimeType: 'number' });

/** What lists can be sorted by: fields of Ticket, and `relevance` where words are searched. */
export const SORT_FIELDS: Readonly<Record<string, SortField>> = {
  createdAt: instantIn('created_at'),
  updatedAt: instantIn('updated_at'),
  resolutionDue: instantIn('resolution_due'),
  title: textIn('title'),
  number: { ...textIn('number'), orderedBy: (number) => [`length(${number})`, number] },
  // a cursor holds the status, not its position, and so remains valid when a state is added
  lifeCycle: {
    ...textIn('status'),
    items: LIFE_CYCLE,
    orderedBy: (status) => [`array_position('{${LIFE_CYCLE.join()}}'::text[], ${status})`],
  },
  urgency: numberIn('urgency'),
  relevance: numberIn('relevance'),
  id: textIn('id'),
  // alphabetical; only cursors of release 1.2 and before still ask for it (`continued`)
  status: { ...textIn('status'), items: LIFE_CYCLE },
} satisfies Record<`${TicketSortField}` | 'relevance' | 'id' | 'status', SortField>;
