import { registerEnumType } from 'type-graphql';
import { StateMachine } from '../../../kernel/records/states.ts';

export enum ServiceChangeKind {
  DECOMMISSION = 'decommission',
}
registerEnumType(ServiceChangeKind, {
  name: 'ServiceChangeKind',
  description: 'Kind of change of a service.',
  valuesConfig: { DECOMMISSION: { description: 'The service is permanently taken down.' } },
});

/** States of a change. They are modelled on the states of a TMF641 service order. */
export enum ServiceChangeStatus {
  ACKNOWLEDGED = 'acknowledged',
  IN_PROGRESS = 'in_progress',
  COMPLETED = 'completed',
  FAILED = 'failed',
  CANCELLED = 'cancelled',
}
registerEnumType(ServiceChangeStatus, {
  name: 'ServiceChangeStatus',
  description: 'State of a change of a service.',
  valuesConfig: {
    ACKNOWLEDGED: { description: 'Waits for its date. Can be cancelled.' },
    IN_PROGRESS: { description: 'The provider is making the change.' },
    COMPLETED: { description: 'Done. This state is final.' },
    FAILED: { description: 'Not possible; `statusReason` says why. The service stays as it is. This state is final.' },
    CANCELLED: { description: 'Cancelled by a caller before its date. This state is final.' },
  },
});

const { ACKNOWLEDGED, IN_PROGRESS, COMPLETED, FAILED, CANCELLED } = ServiceChangeStatus;

/** State machine of changes; see docs/decisions/services.md. */
export const serviceChangeStates = new StateMachine<ServiceChangeStatus>('service change', {
  [ACKNOWLEDGED]: [IN_PROGRESS, COMPLETED, FAILED, CANCELLED],
  [IN_PROGRESS]: [COMPLETED, FAILED],
  [COMPLETED]: [],
  [FAILED]: [],
  [CANCELLED]: [],
});
