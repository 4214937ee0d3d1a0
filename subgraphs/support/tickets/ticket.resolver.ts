import { Arg, Ctx, FieldResolver, ID, Int, Mutation, Query, Resolver, Root } from 'type-graphql';
import { type Page, PageInput, pageOf, type SortBy } from '../../../kernel/graphql/page.ts';
import { Requires } from '../../../kernel/graphql/requires.ts';
import { NodeFields, ReadsFields, type SelectedFields } from '../../../kernel/graphql/selected-fields.ts';
import { relationLimit } from '../../../kernel/records/loaders.ts';
import { ExpectedRevision } from '../../../kernel/records/revision.ts';
import { Agent } from '../agents/agent.entity.ts';
import type { SupportContext } from '../context.ts';
import { Account, Service } from '../references.ts';
import { Ticket } from './ticket.entity.ts';
import { TicketCreateInput, TicketFilter, TicketSort, TicketUpdateInput } from './ticket.inputs.ts';
import { TicketAssignee, TicketUrls } from './ticket.values.ts';
import { ticketUrls } from './ticket-urls.ts';

const TicketPage = pageOf('Ticket', Ticket);
const SORT = 'Fields to sort by, the most significant first. Default: newest first, or the best match first if `q` is given.';

@Resolver(() => Ticket)
export class TicketResolver {
  @Query(() => Ticket, { nullable: true, description: 'Get a ticket by id. Null if it does not exist.' })
  @Requires('support:read')
  ticket(@Arg('id', () => ID) id: string, @Ctx() { loaders }: SupportContext): Promise<Ticket | null> {
    return loaders.tickets.load(id);
  }

  @Query(() => TicketPage, { description: 'List tickets, newest first. With `q` and without `sort`, the best match comes first.' })
  @Requires('support:read')
  tickets(
    @Arg('filter', () => TicketFilter, { nullable: true }) filter: TicketFilter | undefined,
    @Arg('sort', () => [TicketSort], { nullable: true, description: SORT }) sort: SortBy[] | undefined,
    @Arg('page', () => PageInput, { nullable: true }) page: PageInput | undefined,
    @NodeFields() fields: SelectedFields,
    @Ctx() { ticketSearch }: SupportContext,
  ): Promise<Page<Ticket>> {
    return ticketSearch.page(filter ?? {}, sort ?? [], page ?? {}, fields);
  }

  @Mutation(() => Ticket, { description: 'Create a ticket.' })
  @Requires('support:create')
  createTicket(@Arg('input', () => TicketCreateInput) input: TicketCreateInput, @Ctx() { tickets }: SupportContext): Promise<Ticket> {
    return tickets.create(input);
  }

  @Mutation(() => Ticket, {
    description: 'Change a ticket. Omit a field to keep its value. Fails with INVALID_STATE if the status cannot change in this way.',
  })
  @Requires('support:write')
  updateTicket(
    @Arg('id', () => ID) id: string,
    @Arg('input', () => TicketUpdateInput) input: TicketUpdateInput,
    @ExpectedRevision() expectedRevision: number | null | undefined,
    @Ctx() { tickets }: SupportContext,
  ): Promise<Ticket> {
    return tickets.update(id, input, expectedRevision);
  }

  @FieldResolver(() => TicketAssignee, { description: 'Agent or desk that works on the ticket, as customers see it.' })
  @ReadsFields('agent', 'agentId')
  assignedTo(
    @Root() { agent, agentId }: Pick<Ticket, 'agent' | 'agentId'>,
    @Ctx() { loaders }: SupportContext,
  ): TicketAssignee | null | Promise<TicketAssignee | null> {
    // if the agent was read with the ticket, no promise is created, which saves time in lists with many tickets
    return agent ? assigneeOf(agent) : loaders.agents.load(agentId).then((found) => found && assigneeOf(found));
  }

  @FieldResolver(() => Agent, {
    nullable: true,
    description: 'Agent or desk that works on the ticket, with all details. For callers with `support:write`.',
  })
  @Requires('support:write')
  @ReadsFields('agent', 'agentId')
  async agent(@Root() ticket: Pick<Ticket, 'agent' | 'agentId'>, @Ctx() { loaders }: SupportContext): Promise<Agent | null> {
    return ticket.agent ?? (await loaders.agents.load(ticket.agentId));
  }

  @FieldResolver(() => TicketUrls, { description: 'Web pages of the ticket.' })
  @ReadsFields('id')
  urls(@Root() { id }: Pick<Ticket, 'id'>, @Ctx() { origin }: SupportContext): TicketUrls {
    return ticketUrls(origin, id);
  }

  @FieldResolver(() => Account, { nullable: true, description: 'Account that the ticket belongs to. Null if it belongs to none.' })
  @ReadsFields('customerId')
  account(@Root() { customerId }: Pick<Ticket, 'customerId'>): Account | null {
    return customerId ? { customerId } : null;
  }

  @FieldResolver(() => Service, {
    nullable: true,
    description: 'Service that the ticket is about. Null if `serviceAffected` is not the id of a service.',
  })
  @ReadsFields('serviceAffected')
  service(@Root() { serviceAffected }: Pick<Ticket, 'serviceAffected'>): Service | null {
    return serviceAffected?.startsWith('svc_') ? { id: serviceAffected } : null;
  }
}

@Resolver(() => Account)
export class AccountTicketsResolver {
  @FieldResolver(() => [Ticket], { description: 'Newest tickets of the account.' })
  @Requires('support:read')
  tickets(
    @Root() { customerId }: Account,
    @Arg('limit', () => Int, { nullable: true }) limit: number | undefined,
    @Ctx() { loaders }: SupportContext,
  ): Promise<Ticket[]> {
    return loaders.tickets.newest('customerId', customerId, relationLimit(limit));
  }
}

@Resolver(() => Service)
export class ServiceTicketsResolver {
  @FieldResolver(() => [Ticket], { description: 'Newest tickets about the service.' })
  @Requires('support:read')
  tickets(
    @Root() { id }: Service,
    @Arg('limit', () => Int, { nullable: true }) limit: number | undefined,
    @Ctx() { loaders }: SupportContext,
  ): Promise<Ticket[]> {
    return loaders.tickets.newest('serviceAffected', id, relationLimit(limit));
  }
}

const assigneeOf = ({ id, name, email, specialization }: Agent): TicketAssignee => ({ agentId: id, name, email, specialization });
