/** What callers can sort by, as members of Ticket. */
export enum TicketSortField {
  CREATED_AT = 'createdAt',
  UPDATED_AT = 'updatedAt',
  NUMBER = 'number',
  TITLE = 'title',
  STATUS = 'status',
  PRIORITY = 'urgency',
  RESOLUTION_DUE = 'resolutionDue',
}

/** Where a member of the sort stands, and what its values are: in SQL, and in a cursor. */
export interface SortMember {
  column: string;
  type: string;
  runtimeType: string;
}
const instantIn = (column: string): SortMember => ({ column, type: 'timestamptz', runtimeType: 'Date' });
const textIn = (column: string): SortMember => ({ column, type: 'text', runtimeType: 'string' });
const numberIn = (column: string): SortMember => ({ column, type: 'float8', runtimeType: 'number' });

/** What lists can be sorted by: members of Ticket, and `relevance` where words are searched. */
export const SORT_MEMBERS: Readonly<Record<string, SortMember>> = {
  createdAt: instantIn('created_at'),
  updatedAt: instantIn('updated_at'),
  resolutionDue: instantIn('resolution_due'),
  title: textIn('title'),
  number: textIn('number'),
  status: textIn('status'),
  urgency: numberIn('urgency'),
  relevance: numberIn('relevance'),
  id: textIn('id'),
} satisfies Record<`${TicketSortField}` | 'relevance' | 'id', SortMember>;
