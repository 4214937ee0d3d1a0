import { registerEnumType } from 'type-graphql';
import { StateMachine } from '../../../kernel/records/states.ts';

export enum IncidentStatus {
  INVESTIGATING = 'investigating',
  IDENTIFIED = 'identified',
  MONITORING = 'monitoring',
  RESOLVED = 'resolved',
}
registerEnumType(IncidentStatus, {
  name: 'IncidentStatus',
  description: 'How far the work on an incident has come.',
  valuesConfig: {
    INVESTIGATING: { description: 'The reason is not known yet.' },
    IDENTIFIED: { description: 'The reason is known.' },
    MONITORING: { description: 'The services work again, and are watched.' },
    RESOLVED: { description: 'The incident has ended. This state is final.' },
  },
});

export enum IncidentSeverity {
  MINOR = 'minor',
  MAJOR = 'major',
  CRITICAL = 'critical',
}
registerEnumType(IncidentSeverity, {
  name: 'IncidentSeverity',
  description: 'How serious an incident is.',
  valuesConfig: {
    MINOR: { description: 'Services work with reduced quality.' },
    MAJOR: { description: 'A service does not work.' },
    CRITICAL: { description: 'Several services do not work.' },
  },
});

/** Severities of incidents, from the least to the most serious. */
export const SEVERITIES: readonly IncidentSeverity[] = Object.values(IncidentSeverity);

export enum IncidentSource {
  MANUAL = 'manual',
  HEALTH = 'health',
  ALERT = 'alert',
}
registerEnumType(IncidentSource, {
  name: 'IncidentSource',
  description: 'What opened an incident.',
  valuesConfig: {
    MANUAL: { description: 'A person or a program, through the API.' },
    HEALTH: { description: 'A service that was measured as degraded or down.' },
    ALERT: { description: 'An alert that fired.' },
  },
});

/** Impact of an incident on a service. */
export enum IncidentImpact {
  DEGRADED = 'degraded',
  DOWN = 'down',
}
registerEnumType(IncidentImpact, {
  name: 'IncidentImpact',
  description: 'Effect of an incident on a service, as measured.',
  valuesConfig: {
    DEGRADED: { description: 'The service works with reduced quality.' },
    DOWN: { description: 'The service does not work.' },
  },
});

const { INVESTIGATING, IDENTIFIED, MONITORING, RESOLVED } = IncidentStatus;

/** State machine of incidents; see docs/decisions/monitoring.md. */
export const incidentStates = new StateMachine<IncidentStatus>('incident', {
  [INVESTIGATING]: [IDENTIFIED, MONITORING, RESOLVED],
  [IDENTIFIED]: [INVESTIGATING, MONITORING, RESOLVED],
  [MONITORING]: [INVESTIGATING, IDENTIFIED, RESOLVED],
  [RESOLVED]: [],
});
