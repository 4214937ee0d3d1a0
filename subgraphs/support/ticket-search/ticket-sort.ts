import { type SortField, type SortFields, textIn, timestampIn } from '../../../kernel/lists/sort-fields.ts';
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

/** All ticket states in the order of the life cycle. The enum declares them in the same order. */
export const LIFE_CYCLE: readonly string[] = Object.values(TicketStatus);

const numberIn = (column: string): SortField => ({ column, type: 'float8', runtimeType: 'number' });

/** Sort fields of ticket lists: fields of Ticket, and `relevance` for searches. */
export const SORT_FIELDS: SortFields = {
  createdAt: timestampIn('created_at'),
  updatedAt: timestampIn('updated_at'),
  resolutionDue: timestampIn('resolution_due'),
  title: textIn('title'),
  number: { ...textIn('number'), orderedBy: (number) => [`length(${number})`, number] },
  // a cursor contains the status itself, not the position of the status, so the cursor remains valid when a status is
  // added to the enum
  lifeCycle: {
    ...textIn('status'),
    items: LIFE_CYCLE,
    orderedBy: (status) => [`array_position('{${LIFE_CYCLE.join()}}'::text[], ${status})`],
    rank: (status) => LIFE_CYCLE.indexOf(status as string),
  },
  urgency: { ...numberIn('urgency'), rank: (urgency) => urgency as number },
  relevance: numberIn('relevance'),
  id: textIn('id'),
  // alphabetical order, used only for cursors of release 1.2 and earlier (`continued` in ticket-search.ts)
  status: { ...textIn('status'), items: LIFE_CYCLE, rank: (status) => LIFE_CYCLE.toSorted().indexOf(status as string) },
} satisfies Record<`${TicketSortField}` | 'relevance' | 'id' | 'status', SortField>;
