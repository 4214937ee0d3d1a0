import { registerEnumType } from 'type-graphql';
import { StateMachine } from '../../../kernel/records/states.ts';

export enum MaintenanceStatus {
  SCHEDULED = 'scheduled',
  IN_PROGRESS = 'in_progress',
  COMPLETED = 'completed',
  CANCELLED = 'cancelled',
}
registerEnumType(MaintenanceStatus, {
  name: 'MaintenanceStatus',
  description: 'State of a maintenance window.',
  valuesConfig: {
    SCHEDULED: { description: 'Planned. It has not started.' },
    IN_PROGRESS: { description: 'It has started.' },
    COMPLETED: { description: 'It has ended. This state is final.' },
    CANCELLED: { description: 'It was cancelled before its end. This state is final.' },
  },
});

export enum MaintenanceImpact {
  NONE = 'none',
  DEGRADED = 'degraded',
  DOWN = 'down',
}
registerEnumType(MaintenanceImpact, {
  name: 'MaintenanceImpact',
  description: 'Expected state of a service during maintenance.',
  valuesConfig: {
    NONE: { description: 'The service works normally, and its status does not change.' },
    DEGRADED: { description: 'The service may work with reduced quality.' },
    DOWN: { description: 'The service may not work.' },
  },
});

const { SCHEDULED, IN_PROGRESS, COMPLETED, CANCELLED } = MaintenanceStatus;

/** State machine of maintenance windows; see docs/decisions/service-changes.md. */
export const maintenanceStates = new StateMachine<MaintenanceStatus>('maintenance window', {
  [SCHEDULED]: [IN_PROGRESS, COMPLETED, CANCELLED],
  [IN_PROGRESS]: [COMPLETED, CANCELLED],
  [COMPLETED]: [],
  [CANCELLED]: [],
});
