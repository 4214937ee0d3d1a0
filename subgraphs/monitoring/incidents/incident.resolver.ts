import { Arg, Ctx, FieldResolver, ID, Int, Mutation, Query, Resolver, Root } from 'type-graphql';
import { type Page, PageInput, pageOf } from '../../../kernel/graphql/page.ts';
import { Requires } from '../../../kernel/graphql/requires.ts';
import { ReadsFields } from '../../../kernel/graphql/selected-fields.ts';
import { relationLimit } from '../../../kernel/records/loaders.ts';
import { ExpectedRevision } from '../../../kernel/records/revision.ts';
import { Alert } from '../alerts/alert.entity.ts';
import type { MonitoringContext } from '../context.ts';
import { Service, Ticket } from '../references.ts';
import { AffectedService } from './affected-service.entity.ts';
import { Incident } from './incident.entity.ts';
import { IncidentCreateInput, IncidentFilter, IncidentUpdateInput } from './incident.inputs.ts';
import { IncidentAlert } from './incident-alert.entity.ts';
import { IncidentTicket } from './incident-ticket.entity.ts';
import { IncidentUpdate } from './incident-update.entity.ts';

const IncidentPage = pageOf('Incident', Incident);

@Resolver(() => Incident)
export class IncidentResolver {
  @Query(() => Incident, { nullable: true, description: 'Get an incident by id. Null if it does not exist.' })
  @Requires('monitoring:read')
  incident(@Arg('id', () => ID) id: string, @Ctx() { loaders }: MonitoringContext): Promise<Incident | null> {
    return loaders.incidents.load(id);
  }

  @Query(() => IncidentPage, { description: 'List incidents, newest first.' })
  @Requires('monitoring:read')
  incidents(
    @Arg('filter', () => IncidentFilter, { nullable: true }) filter: IncidentFilter | undefined,
    @Arg('page', () => PageInput, { nullable: true }) page: PageInput | undefined,
    @Ctx() { incidents }: MonitoringContext,
  ): Promise<Page<Incident>> {
    return incidents.list(filter ?? {}, page ?? {});
  }

  @Mutation(() => Incident, { description: 'Open an incident.' })
  @Requires('monitoring:write')
  createIncident(
    @Arg('input', () => IncidentCreateInput) input: IncidentCreateInput,
    @Ctx() { incidents }: MonitoringContext,
  ): Promise<Incident> {
    return incidents.create(input);
  }

  @Mutation(() => Incident, {
    description:
      'Change an incident. Omit a field to keep its value. A status and a message become an entry of its timeline. Fails with INVALID_STATE if the status cannot change in this way.',
  })
  @Requires('monitoring:write')
  updateIncident(
    @Arg('id', () => ID) id: string,
    @Arg('input', () => IncidentUpdateInput) input: IncidentUpdateInput,
    @ExpectedRevision() expectedRevision: number | null | undefined,
    @Ctx() { incidents }: MonitoringContext,
  ): Promise<Incident> {
    return incidents.update(id, input, expectedRevision);
  }

  @Mutation(() => Incident, {
    description:
      'Link a ticket to an incident. If they are linked already, nothing changes. When the incident is resolved, the ticket gets an internal comment. Fails with INVALID_STATE if the incident has too many tickets.',
  })
  @Requires('monitoring:write')
  linkIncidentTicket(
    @Arg('id', () => ID, { description: 'Id of the incident (`inc_…`).' }) id: string,
    @Arg('ticketId', () => ID, { description: 'Id of the ticket (`ticket_…`).' }) ticketId: string,
    @Ctx() { incidents }: MonitoringContext,
  ): Promise<Incident> {
    return incidents.linkTicket(id, ticketId);
  }

  @FieldResolver(() => [AffectedService], { description: 'Services that the incident disturbs, newest first.' })
  @ReadsFields('id')
  services(
    @Root() { id }: Pick<Incident, 'id'>,
    @Arg('limit', () => Int, { nullable: true }) limit: number | undefined,
    @Ctx() { loaders }: MonitoringContext,
  ): Promise<AffectedService[]> {
    return loaders.affectedServices.newest('incidentId', id, relationLimit(limit));
  }

  @FieldResolver(() => [IncidentUpdate], { description: 'Timeline of the incident, newest first.' })
  @ReadsFields('id')
  updates(
    @Root() { id }: Pick<Incident, 'id'>,
    @Arg('limit', () => Int, { nullable: true }) limit: number | undefined,
    @Ctx() { loaders }: MonitoringContext,
  ): Promise<IncidentUpdate[]> {
    return loaders.incidentUpdates.newest('incidentId', id, relationLimit(limit));
  }

  @FieldResolver(() => [IncidentTicket], { description: 'Tickets about the incident, newest first.' })
  @ReadsFields('id')
  tickets(
    @Root() { id }: Pick<Incident, 'id'>,
    @Arg('limit', () => Int, { nullable: true }) limit: number | undefined,
    @Ctx() { loaders }: MonitoringContext,
  ): Promise<IncidentTicket[]> {
    return loaders.incidentTickets.newest('incidentId', id, relationLimit(limit));
  }

  @FieldResolver(() => [IncidentAlert], { description: 'Alerts that fire, or fired, during the incident, newest first.' })
  @ReadsFields('id')
  alerts(
    @Root() { id }: Pick<Incident, 'id'>,
    @Arg('limit', () => Int, { nullable: true }) limit: number | undefined,
    @Ctx() { loaders }: MonitoringContext,
  ): Promise<IncidentAlert[]> {
    return loaders.incidentAlerts.newest('incidentId', id, relationLimit(limit));
  }
}

@Resolver(() => IncidentAlert)
export class IncidentAlertResolver {
  @FieldResolver(() => Alert, { nullable: true, description: 'Alert that fires. Null if it was deleted.' })
  alert(@Root() { alertId }: IncidentAlert, @Ctx() { loaders }: MonitoringContext): Promise<Alert | null> {
    return loaders.alerts.load(alertId);
  }
}

@Resolver(() => AffectedService)
export class AffectedServiceResolver {
  @FieldResolver(() => Service, { description: 'Service that is disturbed.' })
  service(@Root() { serviceId }: AffectedService): Service {
    return { id: serviceId };
  }
}

@Resolver(() => IncidentTicket)
export class IncidentTicketResolver {
  @FieldResolver(() => Ticket, { nullable: true, description: 'Ticket about the incident.' })
  ticket(@Root() { ticketId }: IncidentTicket): Ticket {
    return { id: ticketId };
  }
}

@Resolver(() => Service)
export class ServiceIncidentsResolver {
  @FieldResolver(() => [Incident], { description: 'Newest incidents of the service.' })
  @Requires('monitoring:read')
  incidents(
    @Root() { id }: Service,
    @Arg('limit', () => Int, { nullable: true }) limit: number | undefined,
    @Ctx() { loaders }: MonitoringContext,
  ): Promise<Incident[]> {
    const by = { child: AffectedService, owner: 'incidentId', property: 'serviceId' };
    return loaders.incidents.newest(by, id, relationLimit(limit));
  }
}

@Resolver(() => Ticket)
export class TicketIncidentsResolver {
  @FieldResolver(() => [Incident], { description: 'Newest incidents to which the ticket is linked.' })
  @Requires('monitoring:read')
  incidents(
    @Root() { id }: Ticket,
    @Arg('limit', () => Int, { nullable: true }) limit: number | undefined,
    @Ctx() { loaders }: MonitoringContext,
  ): Promise<Incident[]> {
    const by = { child: IncidentTicket, owner: 'incidentId', property: 'ticketId' };
    return loaders.incidents.newest(by, id, relationLimit(limit));
  }
}
