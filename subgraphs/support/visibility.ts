import { registerEnumType } from 'type-graphql';
import type { Principal } from '../../kernel/access/principal.ts';

/** Readers of a comment, a change or a file of a ticket. */
export enum Visibility {
  CUSTOMER = 'customer',
  INTERNAL = 'internal',
}
registerEnumType(Visibility, {
  name: 'Visibility',
  description: 'Who can read a comment.',
  valuesConfig: {
    CUSTOMER: { description: 'The customer and the support desk.' },
    INTERNAL: { description: 'Only callers with `support:write`.' },
  },
});

/**
 * Returns whether the caller is support staff. Every caller with the permission `support:write` is support staff. All
 * other callers are customers and may not read internal content.
 */
export const isDesk = (principal: Principal): boolean => principal.may('support:write');

/**
 * Returns whether the caller may write articles and read drafts. Support staff may do this, unless they are limited to
 * some accounts.
 */
export const isEditor = (principal: Principal): boolean => isDesk(principal) && principal.accounts === null;

export const mayRead = (principal: Principal, visibility: Visibility): boolean => visibility === Visibility.CUSTOMER || isDesk(principal);

/**
 * Returns the filter for comments, changes and files of a ticket. For a customer, it selects only records that
 * customers may read.
 */
export const shownTo = (principal: Principal): { visibility?: Visibility } =>
  isDesk(principal) ? {} : { visibility: Visibility.CUSTOMER };
