import { registerEnumType } from 'type-graphql';

/** Overall status of an organization's services. */
export enum OverallStatus {
  OPERATIONAL = 'operational',
  MAINTENANCE = 'maintenance',
  DEGRADED = 'degraded',
  PARTIAL_OUTAGE = 'partial_outage',
  MAJOR_OUTAGE = 'major_outage',
}
registerEnumType(OverallStatus, {
  name: 'OverallStatus',
  description: 'Overall status of the services.',
  valuesConfig: {
    OPERATIONAL: { description: 'All services work, and no incident is open.' },
    MAINTENANCE: { description: 'A service is in maintenance. All other services work.' },
    DEGRADED: { description: 'A service works with reduced quality, or an incident is open.' },
    PARTIAL_OUTAGE: { description: 'At least one service is down, but fewer than half of the services.' },
    MAJOR_OUTAGE: { description: 'Half of the services or more are down.' },
  },
});
