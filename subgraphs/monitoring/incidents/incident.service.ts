import type { FilterQuery } from '@mikro-orm/core';
import { parse } from 'graphql';
import type { Principal } from '../../../kernel/access/principal.ts';
import type { Clock } from '../../../kernel/clock.ts';
import type { EntityManager } from '../../../kernel/database/database.ts';
import { InvalidParameters, LimitedToAccounts } from '../../../kernel/errors/errors.ts';
import type { Graph } from '../../../kernel/graph.ts';
import { NEWEST_FIRST, type Page, type PageInput } from '../../../kernel/graphql/page.ts';
import { EVERYWHERE } from '../../../kernel/records/organization-filter.ts';
import { listPage } from '../../../kernel/records/pagination.ts';
import { definedOnly, LOCKED, orNotFound } from '../../../kernel/records/records.ts';
import { requireRevision } from '../../../kernel/records/revision.ts';
import { between, matching } from '../../../kernel/records/where.ts';
import type { RequestContext } from '../../../kernel/request.ts';
import type { ServiceAccounts } from '../services/service-accounts.ts';
import { AffectedService } from './affected-service.entity.ts';
import { Incident } from './incident.entity.ts';
import { TooManyTickets } from './incident.errors.ts';
import { incidentOpened, incidentResolved, incidentUpdated } from './incident.events.ts';
import type { IncidentCreateInput, IncidentFilter, IncidentUpdateInput } from './incident.inputs.ts';
import { IncidentSource, IncidentStatus } from './incident.states.ts';
import { addService, addTicket, createIncident, recordChange } from './incident-changes.ts';
import { disturbing } from './incident-filters.ts';
import { calm, failingIn } from './incident-health.ts';
import { IncidentTicket } from './incident-ticket.entity.ts';

const TICKET = parse('query IncidentTicket($id: ID!) { ticket(id: $id) { id } }');
const MAX_TICKETS = 50;

interface NamedService {
  id: string;
  accountId: string;
}

export interface IncidentServiceDeps {
  em: EntityManager;
  request: RequestContext;
  clock: Clock;
  graph: Graph;
  services: ServiceAccounts;
}

/** Manages the incidents of the caller's organization (specification 4.6). */
export class IncidentService {
  constructor(private readonly deps: IncidentServiceDeps) {}

  /** Lists the incidents that the caller may see, newest first. */
  list({ status, severity, source, serviceId, from, to }: IncidentFilter, page: PageInput): Promise<Page<Incident>> {
    const wanted = matching<Incident>({ status, severity, source, startedAt: between(from, to) });
    const where = (serviceId ? { $and: [wanted, disturbing(serviceId, this.#principal.accounts)] } : wanted) as FilterQuery<Incident>;
    return listPage(this.deps.em, Incident, { where, page, defaultSort: NEWEST_FIRST });
  }

  /**
   * Opens an incident.
   * @throws ResourceNotFound for a service that the caller may not see
   * @throws InvalidParameters for a start in the future, and if a caller who is limited to accounts names no service
   */
  async create({ title, severity, message, startedAt, ...input }: IncidentCreateInput): Promise<Incident> {
    const { em, clock } = this.deps;
    const serviceIds = input.serviceIds ?? [];
    const now = clock.now();
    if (startedAt && startedAt > now)
      throw new InvalidParameters([{ field: 'startedAt', value: startedAt, reason: 'must not be in the future' }]);
    if (this.#principal.accounts && serviceIds.length === 0)
      throw new InvalidParameters([{ field: 'serviceIds', reason: 'must name a service, because you have access to some accounts only' }]);
    const services = await this.#servicesOf(serviceIds);
    const values = { title, severity, isSeveritySet: true, source: IncidentSource.MANUAL, startedAt: startedAt ?? now };
    return em.transactional(async (tx) => {
      const incident = await createIncident(tx, this.#principal.organizationId, values, now);
      for (const service of services) addService(tx, incident, service, now);
      await recordChange(tx, incident, incidentOpened, { message: message ?? null, changedBy: this.#principal.id });
      return incident;
    });
  }

  /**
   * Changes an incident. A new status or a message is added to its timeline. `expected` is the revision that the caller has seen.
   * @throws ResourceNotFound for an incident or service that the caller may not see
   * @throws LimitedToAccounts if the incident affects services of accounts that the caller may not see
   * @throws StaleResource, InvalidState
   */
  async update(id: string, { serviceIds, ...input }: IncidentUpdateInput, expected?: number | null): Promise<Incident> {
    const { em, clock } = this.deps;
    const now = clock.now();
    const services = await this.#servicesOf(serviceIds ?? []);
    return em.transactional(async (tx) => {
      const incident = orNotFound(await tx.findOne(Incident, { id }, LOCKED), 'incident', id);
      await this.#requireWhole(tx, incident);
      requireRevision(incident, expected);
      const isChanged = [await this.#add(tx, incident, services, now), await this.#change(tx, incident, input, now)].some(Boolean);
      if (!isChanged) return incident;
      incident.updatedAt = now;
      const isSaid = input.message !== undefined || input.status !== undefined;
      const said = isSaid ? { message: input.message ?? null, changedBy: this.#principal.id } : null;
      await recordChange(tx, incident, input.status === IncidentStatus.RESOLVED ? incidentResolved : incidentUpdated, said);
      return incident;
    });
  }

  /**
   * Links a ticket to an incident. Changes nothing if the ticket is already linked.
   * @throws ResourceNotFound for an incident or ticket that the caller may not see
   * @throws LimitedToAccounts if the incident affects services of accounts that the caller may not see
   * @throws TooManyTickets
   */
  async linkTicket(id: string, ticketId: string): Promise<Incident> {
    const { em, clock, graph, request } = this.deps;
    const { ticket } = await graph.query<{ ticket: { id: string } | null }>(TICKET, { id: ticketId }, request);
    orNotFound(ticket, 'ticket', ticketId);
    return em.transactional(async (tx) => {
      const incident = orNotFound(await tx.findOne(Incident, { id }, LOCKED), 'incident', id);
      await this.#requireWhole(tx, incident);
      const linked = await tx.count(IncidentTicket, { organizationId: incident.organizationId, incidentId: id }, EVERYWHERE);
      if (!(await addTicket(tx, incident, ticketId, clock.now()))) return incident;
      if (linked >= MAX_TICKETS) throw new TooManyTickets(MAX_TICKETS);
      await recordChange(tx, incident, incidentUpdated, null);
      return incident;
    });
  }

  /** Applies the input to an incident. Returns false if the input changes nothing. */
  async #change(tx: EntityManager, incident: Incident, input: Omit<IncidentUpdateInput, 'serviceIds'>, now: Date): Promise<boolean> {
    const { status, message, resolvesItself, ...fields } = definedOnly(input);
    const given = { ...fields, ...(fields.severity && { isSeveritySet: true }) };
    const differs = Object.entries(given).some(([name, value]) => incident[name as keyof typeof given] !== value);
    Object.assign(incident, given);
    // the same status again is an entry of the timeline, by which a person takes over
    if (status && status !== incident.status) incident.moveTo(status, now);
    const automatic = resolvesItself ?? (status ? false : incident.resolvesItself);
    const isTaken = automatic !== incident.resolvesItself;
    if (isTaken) await this.#decide(tx, incident, automatic, now);
    return differs || isTaken || status !== undefined || message !== undefined;
  }

  /** Schedules the resolution of an incident by the platform, or leaves its resolution to people. A resolved incident does not change. */
  async #decide(tx: EntityManager, incident: Incident, isAutomatic: boolean, now: Date): Promise<void> {
    if (incident.resolvedAt) return;
    incident.resolvesItself = isAutomatic;
    incident.resolveDueAt = null;
    if (isAutomatic && (await failingIn(tx, incident)) === 0) calm(incident, now, now);
  }

  /** Adds services to an incident. Returns false if the incident already contains all of them. */
  async #add(tx: EntityManager, incident: Incident, services: readonly NamedService[], now: Date): Promise<boolean> {
    if (services.length === 0) return false;
    const ids = services.map(({ id }) => id);
    const known = await tx.find(AffectedService, { incidentId: incident.id, serviceId: { $in: ids } });
    const added = services.filter(({ id }) => !known.some(({ serviceId }) => serviceId === id));
    for (const service of added) addService(tx, incident, service, now);
    return added.length > 0;
  }

  /**
   * Returns services by id.
   * @throws ResourceNotFound for a service that the caller may not see
   */
  async #servicesOf(ids: readonly string[]): Promise<NamedService[]> {
    const accounts = await this.deps.services.find(this.#principal, ids);
    return ids.map((id) => ({ id, accountId: orNotFound(accounts.get(id), 'service', id) }));
  }

  /**
   * Checks that the caller may see all services of an incident.
   * @throws LimitedToAccounts if the caller may see only some of them
   */
  async #requireWhole(tx: EntityManager, { id }: Incident): Promise<void> {
    const { accounts } = this.#principal;
    if (accounts === null) return;
    const found = await tx.execute<{ account_id: string }[]>(
      'select distinct "account_id" from "monitoring"."incident_service" where "incident_id" = ?',
      [id],
    );
    if (!this.#principal.seesAllOf(found.map(({ account_id: account }) => account))) throw new LimitedToAccounts();
  }

  get #principal(): Principal {
    return this.deps.request.principal;
  }
}
