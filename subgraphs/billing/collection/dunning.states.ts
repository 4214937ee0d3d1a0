import { registerEnumType } from 'type-graphql';

/** Dunning state of an account: whether the account pays in time. */
export enum DunningState {
  CURRENT = 'current',
  OVERDUE = 'overdue',
  SUSPENDED = 'suspended',
}
registerEnumType(DunningState, {
  name: 'DunningState',
  description: 'Whether an account pays in time.',
  valuesConfig: {
    CURRENT: { description: 'No invoice is overdue.' },
    OVERDUE: { description: 'An invoice is overdue. The account gets reminders.' },
    SUSPENDED: { description: 'An invoice is overdue for so long that the services of the account are suspended.' },
  },
});
