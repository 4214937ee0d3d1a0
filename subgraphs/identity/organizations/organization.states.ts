import { registerEnumType } from 'type-graphql';
import { StateMachine } from '../../../kernel/records/states.ts';

export enum OrganizationStatus {
  ACTIVE = 'active',
  /**
   * Nobody can sign in or call the API. The organization's services keep running (docs/operations.md, Organizations).
   */
  SUSPENDED = 'suspended',
  /**
   * Nobody can sign in or call the API, and no background work runs. The organization's records can be exported for 30
   * days, then they are deleted.
   */
  CLOSED = 'closed',
}
registerEnumType(OrganizationStatus, {
  name: 'OrganizationStatus',
  description: 'State of an organization.',
  valuesConfig: {
    ACTIVE: { description: 'The organization can use the platform.' },
    SUSPENDED: { description: 'All credentials of the organization are refused. Its services continue.' },
    CLOSED: { description: 'All credentials of the organization are refused, and its records will be deleted.' },
  },
});

export const organizationStates = new StateMachine<OrganizationStatus>('organization', {
  active: [OrganizationStatus.SUSPENDED, OrganizationStatus.CLOSED],
  suspended: [OrganizationStatus.ACTIVE, OrganizationStatus.CLOSED],
  // a closed organization can be reopened until the deletion of its records begins
  closed: [OrganizationStatus.ACTIVE],
});
