import { z } from 'zod';
import type { EntityManager } from '../../../kernel/database/database.ts';
import type { Ports } from '../../../kernel/domain.ts';
import { type LogConsumer, type LoggedEvent, timestamp } from '../../../kernel/events/events.ts';
import { claimOnce } from '../../../kernel/events/outbox.ts';
import { newId } from '../../../kernel/records/ids.ts';
import { organizationEm } from '../../../kernel/records/organization-filter.ts';
import { LOCKED } from '../../../kernel/records/records.ts';
import { TicketPriority } from '../../../kernel/values/ticket-priority.ts';
import type { TicketContent } from '../alert-tickets/alert-ticket.events.ts';
import { calmTicket, requestTicket } from '../alert-tickets/alert-tickets.ts';
import { AlertSeverity } from '../alerts/alert.states.ts';
import { AffectedService } from '../incidents/affected-service.entity.ts';
import { Incident } from '../incidents/incident.entity.ts';
import { incidentOpened, incidentUpdated } from '../incidents/incident.events.ts';
import { IncidentSeverity, IncidentSource } from '../incidents/incident.states.ts';
import { IncidentAlert } from '../incidents/incident-alert.entity.ts';
import { addService, createIncident, recordChange } from '../incidents/incident-changes.ts';
import { calm, failingIn, lockIncidents, openIncidentsOf, reopen } from '../incidents/incident-health.ts';
import type { ServiceAccounts } from '../services/service-accounts.ts';

const NAME = 'monitoring.alert-incidents';
/** Maximum number of instances of alerts in one incident. More of them are not listed, and do not keep the incident open. */
const MAX_ALERTS = 200;

/** The fields of the events of alerts that incidents use. The events may have more fields. */
const changed = z.object({
  data: z.object({
    alert: z.object({
      id: z.string(),
      name: z.string(),
      metric: z.string(),
      severity: z.enum(AlertSeverity),
      service_id: z.string().nullable(),
      account_id: z.string().nullable(),
      open_incident: z.boolean(),
      description: z.string().nullable(),
      // events of the previous release have no such field
      open_ticket: z.enum(TicketPriority).nullable().default(null),
    }),
    instance: z
      .object({
        id: z.string(),
        service_id: z.string().nullable(),
        labels: z.record(z.string(), z.string()),
        since: timestamp,
        fired_at: timestamp.nullable(),
      })
      .nullable(),
  }),
});

const SEVERITY: Readonly<Record<AlertSeverity, IncidentSeverity>> = {
  [AlertSeverity.INFO]: IncidentSeverity.MINOR,
  [AlertSeverity.WARNING]: IncidentSeverity.MAJOR,
  [AlertSeverity.CRITICAL]: IncidentSeverity.CRITICAL,
};

type Data = z.infer<typeof changed>['data'];

/** An instance of an alert that began to fire, or is resolved. */
interface AlertChange {
  event: LoggedEvent;
  alert: Data['alert'];
  instance: NonNullable<Data['instance']>;
  /** Service that the instance is about. Null if it is about no single service, or if the service does not exist. */
  service: { id: string; accountId: string } | null;
}

type AlertPorts = Pick<Ports, 'orm' | 'clock'> & { services: ServiceAccounts };

/**
 * Returns the consumer that opens incidents for alerts whose `open_incident` is set, and ends their causes. It also requests the
 * tickets of alerts whose `open_ticket` is set. It reads the events of which people are notified: an alert that is silenced opens
 * neither.
 */
export const alertConsumer = (ports: AlertPorts): LogConsumer => ({
  name: NAME,
  on: ['alert.firing', 'alert.resolved'],
  async consume(events) {
    for (const event of events) {
      const change = await changeOf(ports, event);
      if (change) await apply(ports, change);
    }
  },
});

async function changeOf({ services }: AlertPorts, event: LoggedEvent): Promise<AlertChange | null> {
  const { alert, instance } = changed.parse(JSON.parse(event.payload)).data;
  if (!instance) return null;
  const id = alert.service_id ?? instance.service_id;
  const accountId = id && (await services.find({ organizationId: event.organizationId, accounts: null }, [id])).get(id);
  return { event, alert, instance, service: id && accountId ? { id, accountId } : null };
}

async function apply({ orm, clock }: AlertPorts, change: AlertChange): Promise<void> {
  const { organizationId, id, event } = change.event;
  await organizationEm(orm, organizationId).transactional(async (tx) => {
    await lockIncidents(tx, organizationId);
    if (!(await claimOnce(tx, id, NAME))) return;
    const now = clock.now();
    if (event === 'alert.resolved') {
      await end(tx, change, now);
      await calmTicket(tx, change.alert.id, new Date(change.instance.since));
      return;
    }
    const incident = change.alert.open_incident ? await begin(tx, change, now) : null;
    const content = contentOf(change);
    if (content) await requestTicket(tx, { ...change.alert, organizationId, accountId: change.alert.account_id }, incident, content, now);
  });
}

/** Returns the content of the ticket that an alert opens when it fires. Null if it opens none. */
function contentOf({ alert, service }: AlertChange): TicketContent | null {
  if (alert.open_ticket === null) return null;
  const text = `An alert on ${alert.metric} fires.`;
  return {
    ...{ title: alert.name, description: alert.description ? `${text}\n\n${alert.description}` : text, priority: alert.open_ticket },
    serviceId: alert.account_id ? (service?.id ?? null) : null,
  };
}

/**
 * Adds an instance that fires to the open incident of its alert, or of its service, or to a new incident.
 * Returns the incident.
 */
async function begin(tx: EntityManager, change: AlertChange, now: Date): Promise<Incident> {
  const { alert, instance, service, event } = change;
  const [listed] = await openAlertsOf(tx, instance.id);
  if (listed) return tx.findOneOrFail(Incident, { id: listed.incidentId }, LOCKED);
  const known = await incidentFor(tx, change);
  const incident = known ?? (await open(tx, change, now));
  const { id: incidentId, organizationId } = incident;
  if ((await tx.count(IncidentAlert, { incidentId })) >= MAX_ALERTS) return incident;
  const beganAt = new Date(instance.fired_at ?? event.occurredAt);
  const again = await tx.findOne(IncidentAlert, { incidentId, instanceId: instance.id });
  const values = {
    ...{ id: newId('incidentAlert'), organizationId, incidentId, createdAt: now },
    ...{ alertId: alert.id, accountId: alert.account_id ?? service?.accountId ?? null, instanceId: instance.id },
    ...{ serviceId: instance.service_id, labels: instance.labels, beganAt },
  };
  if (again) again.endedAt = null;
  else tx.persist(Object.assign(new IncidentAlert(), values));
  if (service && (await tx.count(AffectedService, { incidentId, serviceId: service.id })) === 0) addService(tx, incident, service, now);
  if (incident.title === alert.name) incident.title = titleOf(change);
  reopen(incident, SEVERITY[alert.severity], now);
  const message = `An alert on ${alert.metric} fires.`;
  await recordChange(tx, incident, known ? incidentUpdated : incidentOpened, { message, changedBy: null });
  return incident;
}

/** Finds the open incident that an instance belongs to: that of its alert, or the newest of its service. */
async function incidentFor(tx: EntityManager, { alert, service }: AlertChange): Promise<Incident | null> {
  const own = await tx.findOne(Incident, { cause: causeOf(alert), resolvedAt: null }, LOCKED);
  if (own || !service) return own;
  return (await openIncidentsOf(tx, service.id)).at(-1) ?? null;
}

function open(tx: EntityManager, change: AlertChange, now: Date): Promise<Incident> {
  const { alert, event } = change;
  const values = { title: titleOf(change), severity: SEVERITY[alert.severity], source: IncidentSource.ALERT, cause: causeOf(alert) };
  return createIncident(tx, event.organizationId, { ...values, startedAt: event.occurredAt, resolvesItself: true }, now);
}

/** Stores that an instance is resolved. When nothing fails in its incident, the incident begins to wait for its end. */
async function end(tx: EntityManager, { instance, alert }: AlertChange, now: Date): Promise<void> {
  for (const row of await openAlertsOf(tx, instance.id)) {
    const incident = await tx.findOne(Incident, { id: row.incidentId }, LOCKED);
    row.endedAt = new Date(instance.since);
    if (!incident || incident.resolvedAt) continue;
    incident.updatedAt = now;
    await tx.flush();
    if ((await failingIn(tx, incident)) === 0) calm(incident, row.endedAt, now);
    await recordChange(tx, incident, incidentUpdated, { message: `An alert on ${alert.metric} was resolved.`, changedBy: null });
  }
}

/**
 * Returns the title of the incident of an alert. Callers who are limited to the account of a service see the incident, but not an
 * alert of the whole organization, so the name of such an alert is not shown to them.
 */
const titleOf = ({ alert, service }: AlertChange): string => (alert.account_id || !service ? alert.name : `Alert on ${alert.metric}`);

const causeOf = ({ id }: Data['alert']): string => `alert/${id}`;

const openAlertsOf = (tx: EntityManager, instanceId: string): Promise<IncidentAlert[]> =>
  tx.find(IncidentAlert, { instanceId, endedAt: null }, { orderBy: { incidentId: 'asc' } });
