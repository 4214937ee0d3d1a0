import { registerEnumType } from 'type-graphql';
import type { Principal } from '../../kernel/access/principal.ts';

/** Whom something that was said about a ticket is meant for. */
export enum Visibility {
  CUSTOMER = 'customer',
  INTERNAL = 'internal',
}
registerEnumType(Visibility, {
  name: 'Visibility',
  description: 'Whom it is meant for: the customer too, or those who hold `support:write` only.',
});

/** The desk: who may work on tickets. All others are customers, and do not see what is internal. */
export const isDesk = (principal: Principal): boolean => principal.may('support:write');

/** Who writes the knowledge base, and sees drafts: the desk of the organization, and nobody who is limited to accounts. */
export const isEditor = (principal: Principal): boolean => isDesk(principal) && principal.accounts === null;

export const mayRead = (principal: Principal, visibility: Visibility): boolean => visibility === Visibility.CUSTOMER || isDesk(principal);

/** What a relation is narrowed to for a caller. */
export const shownTo = (principal: Principal): { visibility?: Visibility } =>
  isDesk(principal) ? {} : { visibility: Visibility.CUSTOMER };
