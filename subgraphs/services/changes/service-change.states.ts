import { registerEnumType } from 'type-graphql';
import { StateMachine } from '../../../kernel/records/states.ts';

export enum ServiceChangeKind {
  MODIFICATION = 'modification',
  CONFIGURATION = 'configuration',
  SCALING = 'scaling',
  FEATURES = 'features',
  DECOMMISSION = 'decommission',
}
registerEnumType(ServiceChangeKind, {
  name: 'ServiceChangeKind',
  description: 'Kind of change of a service.',
  valuesConfig: {
    MODIFICATION: { description: 'Changes the terms of the service, such as its name, bandwidth or service level.' },
    CONFIGURATION: { description: 'Changes settings that are specific to the kind of service.' },
    SCALING: { description: 'Makes the service larger or smaller.' },
    FEATURES: { description: 'Switches features on or off.' },
    DECOMMISSION: { description: 'Takes the service down permanently.' },
  },
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
    ACKNOWLEDGED: { description: 'Waits for its date, or for an earlier change. Can be cancelled.' },
    IN_PROGRESS: { description: 'The provider is making the change.' },
    COMPLETED: { description: 'Done. This state is final.' },
    FAILED: {
      description: 'The change was not possible; `statusReason` contains the reason. The service stays as it is. This state is final.',
    },
    CANCELLED: { description: 'Cancelled by a caller before its date. This state is final.' },
  },
});

const { ACKNOWLEDGED, IN_PROGRESS, COMPLETED, FAILED, CANCELLED } = ServiceChangeStatus;

/** Maximum number of changes of a service that have not ended. A decommission does not count. */
export const MAX_OPEN = 20;
/** Statuses of changes that have not ended. */
export const OPEN_STATUSES: readonly ServiceChangeStatus[] = [ACKNOWLEDGED, IN_PROGRESS];

/** State machine of changes; see docs/decisions/service-changes.md. */
export const serviceChangeStates = new StateMachine<ServiceChangeStatus>('service change', {
  [ACKNOWLEDGED]: [IN_PROGRESS, COMPLETED, FAILED, CANCELLED],
  [IN_PROGRESS]: [COMPLETED, FAILED],
  [COMPLETED]: [],
  [FAILED]: [],
  [CANCELLED]: [],
});
