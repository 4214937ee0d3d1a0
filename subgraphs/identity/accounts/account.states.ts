import { registerEnumType } from 'type-graphql';
import { StateMachine } from '../../../kernel/records/states.ts';

export enum AccountStatus {
  ACTIVE = 'active',
  SUSPENDED = 'suspended',
  CLOSED = 'closed',
}
registerEnumType(AccountStatus, { name: 'AccountStatus' });

/** A closed account opens again only as an active one. */
export const accountStates = new StateMachine<AccountStatus>('account', {
  active: [AccountStatus.SUSPENDED, AccountStatus.CLOSED],
  suspended: [AccountStatus.ACTIVE, AccountStatus.CLOSED],
  closed: [AccountStatus.ACTIVE],
});
