import { registerEnumType } from 'type-graphql';
import type { Principal } from '../../kernel/access/principal.ts';

/** Audience of a comment, change or file of a ticket. */
export enum Visibility {
  CUSTOMER = 'customer',
  INTERNAL = 'internal',
}
registerEnumType(Visibility, {
  name: 'Visibility',
  description: 'Who can read a comment.',
  valuesConfig: {
    CUSTOMER: { description: 'The customer and the desk.' },
    INTERNAL: { description: 'Only callers with `support:write`.' },
  },
});

/**
 * Whether the caller may work on tickets and so belongs to the desk (support staff). All other callers are customers
 * and may not read internal content.
 */
export const isDesk = (principal: Principal): boolean => principal.may('support:write');

/**
 * Whether the caller may write articles and read drafts: support staff, except those who are limited to some accounts.
 */
export const isEditor = (principal: Principal): boolean => isDesk(principal) && principal.accounts === null;

export const mayRead = (principal: Principal, visibility: Visibility): boolean => visibility === Visibility.CUSTOMER || isDesk(principal);

/** Filter for relations of a ticket: customers get only records that are visible to customers. */
export const shownTo = (principal: Principal): { visibility?: Visibility } =>
  isDesk(principal) ? {} : { visibility: Visibility.CUSTOMER };
