import { registerEnumType } from 'type-graphql';
import { StateMachine } from '../../../kernel/records/states.ts';

export enum AccountStatus {
  ACTIVE = 'active',
  SUSPENDED = 'suspended',
  CLOSED = 'closed',
}
registerEnumType(AccountStatus, {
  name: 'AccountStatus',
  description: 'State of an account.',
  valuesConfig: {
    ACTIVE: { description: 'The customer can order and use services.' },
    SUSPENDED: { description: 'The customer can order nothing. Existing services continue.' },
    CLOSED: { description: 'The account is closed.' },
  },
});

/** State machine of accounts. A closed account can become active again, but it cannot be suspended. */
export const accountStates = new StateMachine<AccountStatus>('account', {
  active: [AccountStatus.SUSPENDED, AccountStatus.CLOSED],
  suspended: [AccountStatus.ACTIVE, AccountStatus.CLOSED],
  closed: [AccountStatus.ACTIVE],
});
