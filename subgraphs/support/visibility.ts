import { registerEnumType } from 'type-graphql';
import type { Principal } from '../../kernel/access/principal.ts';

/** Audience of a comment, change or file of a ticket. */
export enum Visibility {
  CUSTOMER = 'customer',
  INTERNAL = 'internal',
}
registerEnumType(Visibility, {
  name: 'Visibility',
  description: 'Who may read a comment.',
  valuesConfig: {
    CUSTOMER: { description: 'The customer and the desk.' },
    INTERNAL: { description: 'Only callers with `support:write`.' },
  },
});

/**
 * Whether the caller may work on tickets and so belongs to the desk. All other callers are customers and do not see
 * internal content.
 */
export const isDesk = (principal: Principal): boolean => principal.may('support:write');

/** Whether the caller may write articles and see drafts: the organization's desk, except callers limited to some accounts. */
export const isEditor = (principal: Principal): boolean => isDesk(principal) && principal.accounts === null;

export const mayRead = (principal: Principal, visibility: Visibility): boolean => visibility === Visibility.CUSTOMER || isDesk(principal);

/** Filter for relations of a ticket: customers get only what is visible to customers. */
export const shownTo = (principal: Principal): { visibility?: Visibility } =>
  isDesk(principal) ? {} : { visibility: Visibility.CUSTOMER };
