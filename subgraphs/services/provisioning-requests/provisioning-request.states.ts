import { registerEnumType } from 'type-graphql';
import { StateMachine } from '../../../kernel/records/states.ts';

/** After TMF641, the states of a service order. */
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
  description: 'Where a provisioning request is in its life (specification 3.4).',
  valuesConfig: {
    PENDING: { description: 'It waits for its account, its location or its date; it can be changed and cancelled.' },
    ACKNOWLEDGED: { description: 'Its service is ordered.' },
    IN_PROGRESS: { description: 'Its service is being built.' },
    COMPLETED: { description: 'Its service is operational.' },
  },
});

const { PENDING, ACKNOWLEDGED, IN_PROGRESS, COMPLETED, FAILED, CANCELLED } = ProvisioningRequestStatus;

/** See docs/decisions/services.md. */
export const provisioningRequestStates = new StateMachine<ProvisioningRequestStatus>('provisioning request', {
  [PENDING]: [ACKNOWLEDGED, FAILED, CANCELLED],
  [ACKNOWLEDGED]: [IN_PROGRESS],
  [IN_PROGRESS]: [COMPLETED, FAILED],
  [COMPLETED]: [],
  [FAILED]: [],
  [CANCELLED]: [],
});
