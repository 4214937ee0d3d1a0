import type { ParsedAlert, ParsedAlertInstance, ParsedEvent, ParsedIncident } from '../parsed-event.ts';
import { shown } from './slack-text.ts';

/** Maximum length of a name, metric or label value. */
const NAME_LENGTH = 300;
/** Maximum number of labels that a message lists. */
const LABELS_LISTED = 20;
const LABELS_LENGTH = 600;

/** Title and text of a message about an alert or incident. Both are escaped. */
export interface MonitoringText {
  /** Plain text of one line. */
  title: string;
  /** Text in mrkdwn, with the title. */
  text: string;
}

/** Returns the text of a message about an event of the monitoring domain. Undefined for other events. */
export function monitoringText({ event, data }: ParsedEvent): MonitoringText | undefined {
  const { alert, instance, incident, update } = data;
  if (alert) return alertText(event, alert, instance ?? null);
  if (incident) return incidentText(event, incident, update?.message ?? null);
  return undefined;
}

function alertText(event: string, alert: ParsedAlert, instance: ParsedAlertInstance | null): MonitoringText {
  const isFiring = event === 'alert.firing';
  const happened = !isFiring ? 'Alert resolved' : instance?.is_repeated ? 'Alert still firing (repeated)' : 'Alert firing';
  const value = instance && (instance.value === null ? 'no value' : `${instance.value}${unitOf(alert)}`);
  return titled(`${happened}: ${line(alert.name)}`, [
    `Severity: ${line(alert.severity)}   State: ${line(instance?.state ?? alert.state)}`,
    fact(measuredText(alert), value),
    fact('Limit', limitText(alert)),
    fact('Reason', instance && instance.reason !== 'value' ? instance.reason.replaceAll('_', ' ') : undefined),
    fact('Service', alert.service_id ?? instance?.service_id),
    fact('Labels', labelsText(alert, instance), LABELS_LENGTH),
    fact('Since', instance?.since),
    isFiring ? shown(alert.description) : undefined,
  ]);
}

function incidentText(event: string, incident: ParsedIncident, message: string | null): MonitoringText {
  const happened = { 'incident.opened': 'Incident opened', 'incident.resolved': 'Incident resolved' }[event] ?? 'Incident updated';
  return titled(`${happened}: ${line(incident.number)} ${line(incident.title)}`, [
    `Status: ${line(incident.status)}   Severity: ${line(incident.severity)}   Services: ${incident.service_count}`,
    fact('Since', incident.started_at),
    shown(message),
  ]);
}

const titled = (title: string, lines: readonly (string | undefined)[]): MonitoringText => ({
  title,
  text: [`*${title}*`, ...lines.filter((text) => text !== undefined)].join('\n'),
});

/** Returns a value as one line, so that a line break in a label cannot look like another fact. */
const line = (value: unknown, length = NAME_LENGTH): string => shown(String(value).replace(/\s+/g, ' '), length) ?? '';

const fact = (name: string, value: unknown, length?: number): string | undefined =>
  value === undefined || value === null || value === '' ? undefined : `${line(name)}: ${line(value, length)}`;

const measuredText = ({ aggregation, metric }: ParsedAlert): string => (aggregation ? `${aggregation} of ${metric}` : metric);

const unitOf = ({ condition }: ParsedAlert): string => (condition.startsWith('change_') ? ' percent' : '');

/** Returns a limit in words: `above 100, in 300 seconds`. */
function limitText(alert: ParsedAlert): string {
  const { condition, threshold, lower_threshold: lower, window_seconds: seconds } = alert;
  const limits = [lower, threshold].filter((limit) => limit !== null).join(' to ');
  return `${condition.replaceAll('_', ' ')}${limits && ` ${limits}${unitOf(alert)}`}, in ${seconds} seconds`;
}

/** Returns the labels that an alert selects, and those of the instance, sorted by name. A label of both is listed once. */
function labelsText({ labels }: ParsedAlert, instance: ParsedAlertInstance | null): string {
  const all = new Set([...Object.entries(instance?.labels ?? {}).map(([name, value]) => `${name}=${value}`), ...labels]);
  const listed = [...all].toSorted().slice(0, LABELS_LISTED);
  return [...listed, ...(all.size > listed.length ? ['…'] : [])].join(', ');
}
