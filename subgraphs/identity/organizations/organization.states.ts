import { registerEnumType } from 'type-graphql';
import { StateMachine } from '../../../kernel/records/states.ts';

export enum OrganizationStatus {
  ACTIVE = 'active',
  /** Nobody can sign in or call the API; its services keep running (docs/operations.md, Organizations). */
  SUSPENDED = 'suspended',
  /** Nobody can sign in or call the API, and nothing runs. Its records can be exported for 30 days, then they are deleted. */
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
  // reopens an organization until the deletion of its records begins
  closed: [OrganizationStatus.ACTIVE],
});
