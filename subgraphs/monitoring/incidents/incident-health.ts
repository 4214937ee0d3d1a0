import { parse } from 'graphql';
import { z } from 'zod';
import type { EntityManager } from '../../../kernel/database/database.ts';
import type { Ports } from '../../../kernel/domain.ts';
import type { LogConsumer, LoggedEvent } from '../../../kernel/events/events.ts';
import { claimOnce } from '../../../kernel/events/outbox.ts';
import { organizationEm } from '../../../kernel/records/organization-filter.ts';
import { advisoryLock, LOCKED } from '../../../kernel/records/records.ts';
import { requestOf } from '../../../kernel/request.ts';
import { MINUTE_MS } from '../../../kernel/values/days.ts';
import { AffectedService } from './affected-service.entity.ts';
import { Incident } from './incident.entity.ts';
import { incidentOpened, incidentUpdated } from './incident.events.ts';
import { IncidentImpact, IncidentSeverity, IncidentSource, IncidentStatus, SEVERITIES } from './incident.states.ts';
import { IncidentAlert } from './incident-alert.entity.ts';
import { addService, createIncident, recordChange } from './incident-changes.ts';
import { disturbing } from './incident-filters.ts';

const NAME = 'monitoring.incidents';

/** Time after the first failure during which failing services of the same provider and area are added to the same incident. */
const JOIN_MS = 2 * MINUTE_MS;
/** Time for which all services of an incident must work before the platform resolves it. */
export const CALM_MS = 5 * MINUTE_MS;
/** Maximum number of services that measurements add to an incident. For the next failing service, another incident is opened. */
const MAX_SERVICES = 1000;
/** Number of services that are down at which an incident becomes critical. */
const CRITICAL_FROM = 3;

/** The fields of the event `service.status_changed` that this domain uses. The event may have more fields. */
const statusChanged = z.object({
  data: z.object({
    service: z.object({ id: z.string(), account_id: z.string() }),
    changes: z.object({ status: z.object({ to: z.string() }) }),
    reason: z.string().nullable(),
  }),
});

/** Statuses of a service that cause an incident, each with its impact. */
const IMPACTS: Readonly<Record<string, IncidentImpact>> = { degraded: IncidentImpact.DEGRADED, down: IncidentImpact.DOWN };
/** Status of a service in maintenance. It neither begins nor ends an incident, because it does not show whether the service works. */
const IN_MAINTENANCE = 'maintenance';

const PLACES = parse(`query IncidentPlaces($ids: [ID!]!) {
  services(filter: { id: $ids }, page: { limit: 200 }) { nodes { id provider location { city state } } }
}`);

interface Places {
  services: { nodes: { id: string; provider: string | null; location: { city: string; state: string } | null }[] };
}

/** Location and provider of a service, which determine the incident that the service belongs to. */
interface Place {
  provider: string | null;
  area: string | null;
}

/** A status change of a service. */
interface Health {
  event: LoggedEvent;
  service: { id: string; accountId: string };
  /** Impact of the status. Null if the service works, or was taken out of service. */
  impact: IncidentImpact | null;
  reason: string | null;
}

type HealthPorts = Pick<Ports, 'orm' | 'clock' | 'graph' | 'log'>;

/**
 * Returns the log consumer that opens incidents for services that are degraded or down, and ends the impact when services work again. A
 * consumer gets the events in the order of the log, so an old failure never replaces a newer recovery. The inbox removes repeated events. A
 * lock prevents two processes from opening two incidents for one cause.
 */
export const healthConsumer = (ports: HealthPorts): LogConsumer => ({
  name: NAME,
  on: ['service.status_changed'],
  async consume(events) {
    const found = events.flatMap((event) => healthOf(event) ?? []);
    const claimed = await claimWithoutEffect(ports, found);
    const changes = found.filter(({ event }) => !claimed.has(event.id));
    const places = await placesOf(ports, changes);
    for (const change of changes) await apply(ports, change, places.get(change.service.id) ?? { provider: null, area: null });
  },
});

function healthOf(event: LoggedEvent): Health | null {
  const { service, changes, reason } = statusChanged.parse(JSON.parse(event.payload)).data;
  const { to } = changes.status;
  if (to === IN_MAINTENANCE) return null;
  return { event, service: { id: service.id, accountId: service.account_id }, impact: IMPACTS[to] ?? null, reason };
}

/**
 * Claims, with one statement, the events of working services that no open incident counts as failing, and returns their ids. Most events are
 * such: services that were provisioned. An event without effect is claimed too: repeated after a later failure, it would end that failure.
 */
async function claimWithoutEffect({ orm }: HealthPorts, changes: readonly Health[]): Promise<Set<string>> {
  const failed = new Set<string>();
  const working = changes.filter(({ service, impact }) => {
    // an event that follows a failure in this batch ends that failure
    if (impact) failed.add(service.id);
    return !failed.has(service.id);
  });
  if (working.length === 0) return new Set();
  const rows = await orm.em
    .fork()
    .execute<{ event_id: string }[]>(CLAIM_WITHOUT_EFFECT, [
      NAME,
      JSON.stringify(working.map(({ event, service }) => ({ event: event.id, organization: event.organizationId, service: service.id }))),
    ]);
  return new Set(rows.map(({ event_id: id }) => id));
}

const CLAIM_WITHOUT_EFFECT = `
  insert into "monitoring"."inbox" ("event_id", "reaction")
  select "event", ? from json_to_recordset(?::json) as c("event" text, "organization" text, "service" text)
  where not exists (
    select from "monitoring"."incident_service" s join "monitoring"."incident" i on i."id" = s."incident_id"
    where s."organization_id" = c."organization" and s."service_id" = c."service" and s."impact" is not null and i."resolved_at" is null)
  on conflict do nothing returning "event_id"`;

/** Reads location and provider of the failing services, with one query for each organization. */
async function placesOf({ graph, log }: HealthPorts, changes: readonly Health[]): Promise<Map<string, Place>> {
  const failing = changes.filter(({ impact }) => impact !== null);
  const places = new Map<string, Place>();
  for (const [organizationId, found] of Map.groupBy(failing, ({ event }) => event.organizationId)) {
    const ids = [...new Set(found.map(({ service }) => service.id))];
    const { services } = await graph.query<Places>(PLACES, { ids }, requestOf(NAME, organizationId, log));
    for (const { id, provider, location } of services.nodes)
      places.set(id, { provider, area: location && `${location.city}, ${location.state}` });
  }
  return places;
}

async function apply({ orm, clock }: HealthPorts, change: Health, place: Place): Promise<void> {
  const { organizationId, id } = change.event;
  const em = organizationEm(orm, organizationId);
  await em.transactional(async (tx) => {
    await lockIncidents(tx, organizationId);
    // also an event without effect is claimed: repeated after a later failure, it would end that
    if (!(await claimOnce(tx, id, NAME))) return;
    if (change.impact) await begin(tx, change, change.impact, place, clock.now());
    else await end(tx, change, clock.now());
  });
}

/** Lets one transaction at a time open or end the causes of incidents of an organization. */
export const lockIncidents = (tx: EntityManager, organizationId: string): Promise<void> => advisoryLock(tx, `${NAME} ${organizationId}`);

/**
 * Stores that a service has failed: in all open incidents that contain it, otherwise in the open incident of services nearby, otherwise in
 * a new incident.
 */
async function begin(tx: EntityManager, change: Health, impact: IncidentImpact, place: Place, now: Date): Promise<void> {
  const { service, event, reason } = change;
  const known = await openIncidentsOf(tx, service.id);
  const neighbours = known.length > 0 ? [] : await neighboursOf(tx, event.occurredAt, place);
  const isNew = known.length + neighbours.length === 0;
  const incidents = isNew ? [await open(tx, change, impact, place, now)] : [...known, ...neighbours];
  for (const incident of incidents) {
    const affected =
      (await tx.findOne(AffectedService, { incidentId: incident.id, serviceId: service.id })) ?? addService(tx, incident, service, now);
    if (affected.impact === impact) continue;
    affected.begin(impact, event.occurredAt);
    await tx.flush();
    await worsen(tx, incident, impact, now);
    const what = impact === IncidentImpact.DOWN ? 'A service is down.' : 'A service is degraded.';
    const message = reason ? `${what} ${reason}` : what;
    await recordChange(tx, incident, isNew ? incidentOpened : incidentUpdated, { message, changedBy: null });
  }
}

function open(tx: EntityManager, { service, event }: Health, impact: IncidentImpact, place: Place, now: Date): Promise<Incident> {
  const values = {
    ...place,
    title: titleOf(place.area, impact),
    severity: IncidentSeverity.MINOR,
    source: IncidentSource.HEALTH,
    cause: `health/${service.id}`,
    startedAt: event.occurredAt,
    resolvesItself: true,
  };
  return createIncident(tx, event.organizationId, values, now);
}

/** Raises the severity and updates the status of an incident after a service has failed. Values that a caller has set do not change. */
async function worsen(tx: EntityManager, incident: Incident, impact: IncidentImpact, now: Date): Promise<void> {
  if (impact === IncidentImpact.DOWN && incident.title === titleOf(incident.area, IncidentImpact.DEGRADED))
    incident.title = titleOf(incident.area, impact);
  const down = await tx.count(AffectedService, { incidentId: incident.id, impact: IncidentImpact.DOWN });
  reopen(incident, severityOf(down), now);
}

/** Lets an incident in which something began to fail go on, at this severity or its own if that is higher. */
export function reopen(incident: Incident, severity: IncidentSeverity, now: Date): void {
  incident.updatedAt = now;
  incident.resolveDueAt = null;
  if (incident.resolvesItself && incident.status === IncidentStatus.MONITORING) incident.moveTo(IncidentStatus.INVESTIGATING, now);
  if (!incident.isSeveritySet && SEVERITIES.indexOf(severity) > SEVERITIES.indexOf(incident.severity)) incident.severity = severity;
}

const severityOf = (down: number): IncidentSeverity => {
  if (down === 0) return IncidentSeverity.MINOR;
  return down < CRITICAL_FROM ? IncidentSeverity.MAJOR : IncidentSeverity.CRITICAL;
};

/**
 * Stores that a service no longer fails. When no service of the incident fails any more, the incident starts to wait for its resolution.
 */
async function end(tx: EntityManager, { service, event }: Health, now: Date): Promise<void> {
  for (const incident of await openIncidentsOf(tx, service.id)) {
    const affected = await tx.findOne(AffectedService, { incidentId: incident.id, serviceId: service.id });
    if (!affected?.impact) continue;
    affected.end(event.occurredAt);
    incident.updatedAt = now;
    await tx.flush();
    const failing = await failingServicesIn(tx, incident.id);
    if ((await failingIn(tx, incident)) === 0) calm(incident, event.occurredAt, now);
    const rest = failing === 0 ? 'All services work again.' : `A service works again, ${failing} ${failing === 1 ? 'does' : 'do'} not.`;
    await recordChange(tx, incident, incidentUpdated, { message: rest, changedBy: null });
  }
}

/** Schedules the resolution of an incident without failing services, unless a caller has taken over its resolution. */
export function calm(incident: Incident, since: Date, now: Date): void {
  if (!incident.resolvesItself) return;
  incident.resolveDueAt = new Date(since.getTime() + CALM_MS);
  if (incident.status !== IncidentStatus.MONITORING) incident.moveTo(IncidentStatus.MONITORING, now);
}

/** Returns the number of failing services and firing alerts in an incident. */
export const failingIn = async (tx: EntityManager, { id }: Incident): Promise<number> =>
  (await failingServicesIn(tx, id)) + (await tx.count(IncidentAlert, { incidentId: id, endedAt: null }));

const failingServicesIn = (tx: EntityManager, incidentId: string): Promise<number> =>
  tx.count(AffectedService, { incidentId, impact: { $ne: null } });

/** Finds the open incidents that disturb a service, the oldest first. */
export const openIncidentsOf = (tx: EntityManager, serviceId: string): Promise<Incident[]> =>
  tx.find(Incident, { $and: [{ resolvedAt: null }, disturbing(serviceId)] }, { ...LOCKED, orderBy: { id: 'asc' } });

/** Finds the incident of failing services with the same provider and area that failed within the last two minutes. */
async function neighboursOf(tx: EntityManager, at: Date, { provider, area }: Place): Promise<Incident[]> {
  if (!provider || !area) return [];
  const [from, to] = [new Date(at.getTime() - JOIN_MS), new Date(at.getTime() + JOIN_MS)];
  const where = { provider, area, source: IncidentSource.HEALTH, resolvedAt: null, startedAt: { $gte: from, $lte: to } };
  const [incident] = await tx.find(Incident, where, { ...LOCKED, orderBy: { startedAt: 'desc', id: 'desc' }, limit: 1 });
  if (!incident || (await tx.count(AffectedService, { incidentId: incident.id })) >= MAX_SERVICES) return [];
  return [incident];
}

/** Returns the title of an incident. The title names no service, because callers with different accounts may see the incident. */
function titleOf(area: string | null, impact: IncidentImpact): string {
  const what = impact === IncidentImpact.DOWN ? 'Outage' : 'Degraded services';
  return area ? `${what} in ${area}` : what;
}
