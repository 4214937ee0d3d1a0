import { registerEnumType } from 'type-graphql';
import { StateMachine } from '../../../kernel/records/states.ts';

export enum OrganizationStatus {
  ACTIVE = 'active',
  /** Nobody gets in; what runs for it goes on (docs/operations.md, Organizations). */
  SUSPENDED = 'suspended',
  /** Nobody gets in and nothing runs; its records can be exported for a while, then they are deleted. */
  CLOSED = 'closed',
}
registerEnumType(OrganizationStatus, {
  name: 'OrganizationStatus',
  description: 'State of an organization.',
  valuesConfig: {
    ACTIVE: { description: 'In use.' },
    SUSPENDED: { description: 'All its credentials are refused. Its services continue.' },
    CLOSED: { description: 'All its credentials are refused, and its records will be deleted.' },
  },
});

export const organizationStates = new StateMachine<OrganizationStatus>('organization', {
  active: [OrganizationStatus.SUSPENDED, OrganizationStatus.CLOSED],
  suspended: [OrganizationStatus.ACTIVE, OrganizationStatus.CLOSED],
  // by mistake, or thought better of, as long as nothing is deleted
  closed: [OrganizationStatus.ACTIVE],
});
