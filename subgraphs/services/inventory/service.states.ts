import { registerEnumType } from 'type-graphql';
import { StateMachine } from '../../../kernel/records/states.ts';

export enum ServiceStatus {
  PENDING = 'pending',
  PROVISIONING = 'provisioning',
  OPERATIONAL = 'operational',
  DEGRADED = 'degraded',
  DOWN = 'down',
  MAINTENANCE = 'maintenance',
  DECOMMISSIONING = 'decommissioning',
  DECOMMISSIONED = 'decommissioned',
  FAILED = 'failed',
}
registerEnumType(ServiceStatus, { name: 'ServiceStatus', description: 'Where a service is in its life (specification 3.4).' });

const { PENDING, PROVISIONING, OPERATIONAL, DEGRADED, DOWN, MAINTENANCE, DECOMMISSIONING, DECOMMISSIONED, FAILED } = ServiceStatus;

/** See docs/decisions/services.md. */
export const serviceStates = new StateMachine<ServiceStatus>('service', {
  [PENDING]: [PROVISIONING],
  [PROVISIONING]: [OPERATIONAL, FAILED],
  [OPERATIONAL]: [DEGRADED, DOWN, MAINTENANCE, DECOMMISSIONING],
  [DEGRADED]: [OPERATIONAL, DECOMMISSIONING],
  [DOWN]: [OPERATIONAL, DECOMMISSIONING],
  [MAINTENANCE]: [OPERATIONAL],
  [DECOMMISSIONING]: [DECOMMISSIONED],
  [DECOMMISSIONED]: [],
  [FAILED]: [],
});

/** Built, and not being taken down: what a network has something to say about. */
export const isInService = (status: ServiceStatus): boolean => [OPERATIONAL, DEGRADED, DOWN, MAINTENANCE].includes(status);

export enum ServiceType {
  INTERNET = 'internet',
}
registerEnumType(ServiceType, { name: 'ServiceType', description: 'The kind of a service.' });
