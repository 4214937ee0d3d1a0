import { registerEnumType } from 'type-graphql';
import { StateMachine } from '../../../kernel/records/states.ts';
import { ServiceType } from '../../../kernel/values/service-type.ts';

export { ServiceType };

export enum ServiceStatus {
  PENDING = 'pending',
  PROVISIONING = 'provisioning',
  OPERATIONAL = 'operational',
  DEGRADED = 'degraded',
  DOWN = 'down',
  MAINTENANCE = 'maintenance',
  SUSPENDED = 'suspended',
  DECOMMISSIONING = 'decommissioning',
  DECOMMISSIONED = 'decommissioned',
  FAILED = 'failed',
}
registerEnumType(ServiceStatus, {
  name: 'ServiceStatus',
  description: 'State of a service in its life cycle.',
  valuesConfig: {
    PENDING: { description: 'Ordered. Provisioning has not started.' },
    PROVISIONING: { description: 'The provider is building it.' },
    OPERATIONAL: { description: 'Built and working.' },
    DEGRADED: { description: 'Working, but with reduced quality.' },
    DOWN: { description: 'Not working because of an outage.' },
    MAINTENANCE: { description: 'In planned maintenance. This time is left out of the calculation of the uptime.' },
    SUSPENDED: {
      description:
        'Blocked, because its account has not paid an invoice for a long time. This time is left out of the calculation of the uptime.',
    },
    DECOMMISSIONING: { description: 'The provider is taking it down.' },
    DECOMMISSIONED: { description: 'Taken down. This state is final.' },
    FAILED: { description: 'Provisioning failed. The service can only be decommissioned.' },
  },
});

const { PENDING, PROVISIONING, OPERATIONAL, DEGRADED, DOWN, MAINTENANCE, SUSPENDED, DECOMMISSIONING, DECOMMISSIONED, FAILED } =
  ServiceStatus;

/** State machine of services; see docs/decisions/services.md. */
export const serviceStates = new StateMachine<ServiceStatus>('service', {
  [PENDING]: [PROVISIONING, DECOMMISSIONED, FAILED],
  [PROVISIONING]: [OPERATIONAL, FAILED, DECOMMISSIONING],
  [OPERATIONAL]: [DEGRADED, DOWN, MAINTENANCE, SUSPENDED, DECOMMISSIONING],
  [DEGRADED]: [OPERATIONAL, DOWN, MAINTENANCE, SUSPENDED, DECOMMISSIONING],
  [DOWN]: [OPERATIONAL, DEGRADED, MAINTENANCE, SUSPENDED, DECOMMISSIONING],
  [MAINTENANCE]: [OPERATIONAL, DEGRADED, DOWN],
  [SUSPENDED]: [OPERATIONAL, DECOMMISSIONING],
  [DECOMMISSIONING]: [DECOMMISSIONED, OPERATIONAL, DEGRADED, DOWN, SUSPENDED, FAILED],
  [DECOMMISSIONED]: [],
  [FAILED]: [DECOMMISSIONING],
});

/** Returns true if a service is built, and neither suspended nor being decommissioned. Only such services have measurements. */
export const isInService = (status: ServiceStatus): boolean => [OPERATIONAL, DEGRADED, DOWN, MAINTENANCE].includes(status);

/** Returns true if a service is built and not being decommissioned, also while it is suspended. */
export const isBuilt = (status: ServiceStatus): boolean => status === SUSPENDED || isInService(status);

/**
 * Progress of a held service. A service is held if its bulk is rolled back when one of the services fails. It does not
 * become operational until all services of the bulk are built.
 */
export enum ServiceHold {
  /** The service is not built yet. */
  BUILDING = 'building',
  /** The service is built and waits for the other services of its bulk. */
  BUILT = 'built',
  /** The bulk is rolled back. The provider must release the service. */
  RELEASING = 'releasing',
}
