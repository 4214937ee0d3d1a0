import { registerEnumType } from 'type-graphql';
import { StateMachine } from '../../../kernel/records/states.ts';

/** States of a provisioning request. They are modelled on the states of a TMF641 service order. */
export enum ProvisioningRequestStatus {
  PENDING = 'pending',
  ACKNOWLEDGED = 'acknowledged',
  IN_PROGRESS = 'in_progress',
  COMPLETED = 'completed',
  FAILED = 'failed',
  CANCELLED = 'cancelled',
}
registerEnumType(ProvisioningRequestStatus, {
  name: 'ProvisioningRequestStatus',
  description: 'State of a provisioning request in its life cycle.',
  valuesConfig: {
    PENDING: { description: 'Waits for missing information or its preferred date. Can still be changed.' },
    ACKNOWLEDGED: { description: 'The service is ordered.' },
    IN_PROGRESS: { description: 'The provider is building the service.' },
    COMPLETED: { description: 'The service is operational. This state is final.' },
    FAILED: { description: 'The service could not be ordered or built. This state is final.' },
    CANCELLED: {
      description:
        'Cancelled by a caller, or its service was decommissioned before it was operational. The provider has released the service. This state is final.',
    },
  },
});

const { PENDING, ACKNOWLEDGED, IN_PROGRESS, COMPLETED, FAILED, CANCELLED } = ProvisioningRequestStatus;

/** State machine of provisioning requests; see docs/decisions/provisioning-requests.md. */
export const provisioningRequestStates = new StateMachine<ProvisioningRequestStatus>('provisioning request', {
  [PENDING]: [ACKNOWLEDGED, FAILED, CANCELLED],
  [ACKNOWLEDGED]: [IN_PROGRESS, CANCELLED],
  [IN_PROGRESS]: [COMPLETED, FAILED, CANCELLED],
  [COMPLETED]: [],
  [FAILED]: [],
  [CANCELLED]: [],
});
