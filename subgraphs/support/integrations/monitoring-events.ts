import { type EventType, matches } from '../../../kernel/events/events.ts';

/**
 * Events of the monitoring domain that Slack integrations can select, by name, because domains do not import each other.
 * `alert.updated` is missing: it is sent when nobody is to be notified, such as during a silence.
 */
const NAMES = ['alert.firing', 'alert.resolved', 'incident.opened', 'incident.updated', 'incident.resolved'];

export const MONITORING_EVENTS: readonly Pick<EventType, 'name' | 'family'>[] = NAMES.map((name) => ({ name, family: 'monitoring' }));

const byName: ReadonlyMap<string, (typeof MONITORING_EVENTS)[number]> = new Map(MONITORING_EVENTS.map((type) => [type.name, type]));

export const isMonitoringEvent = (name: string): boolean => byName.has(name);

/**
 * Returns true if the pattern of an integration selects a monitoring event: one of them, or the event with this name. `*`
 * selects none, because it means the support family.
 */
export function selectsMonitoring(pattern: string, name?: string): boolean {
  const known = name === undefined ? undefined : byName.get(name);
  const types = name === undefined ? MONITORING_EVENTS : known ? [known] : [];
  return pattern !== '*' && types.some((type) => matches(pattern, type));
}
