import { Arg, Ctx, FieldResolver, ID, Int, Mutation, Query, Resolver, Root } from 'type-graphql';
import { type Page, PageInput, pageOf } from '../../../kernel/graphql/page.ts';
import { Requires } from '../../../kernel/graphql/requires.ts';
import { relationLimit } from '../../../kernel/records/loaders.ts';
import type { SupportContext } from '../context.ts';
import { Ticket } from '../tickets/ticket.entity.ts';
import { Agent } from './agent.entity.ts';
import { AgentCreateInput, AgentFilter, AgentUpdateInput } from './agent.inputs.ts';

const AgentPage = pageOf('Agent', Agent);

@Resolver(() => Agent)
export class AgentResolver {
  @Query(() => Agent, { nullable: true, description: 'Get an agent or desk by id. Null if it does not exist.' })
  @Requires('support:write', { scope: 'organization' })
  agent(@Arg('id', () => ID) id: string, @Ctx() { agents }: SupportContext): Promise<Agent | null> {
    return agents.find(id);
  }

  @Query(() => AgentPage, {
    description:
      'List agents and desks, newest first. Each category has a desk. The desks are created automatically with the first ticket.',
  })
  @Requires('support:write', { scope: 'organization' })
  agents(
    @Arg('filter', () => AgentFilter, { nullable: true }) filter: AgentFilter | undefined,
    @Arg('page', () => PageInput, { nullable: true }) page: PageInput | undefined,
    @Ctx() { agents }: SupportContext,
  ): Promise<Page<Agent>> {
    return agents.list(filter ?? {}, page ?? {});
  }

  @Mutation(() => Agent, { description: 'Create an agent. Fails with DUPLICATE_RESOURCE if the e-mail address is taken.' })
  @Requires('support:admin', { scope: 'organization' })
  createAgent(@Arg('input', () => AgentCreateInput) input: AgentCreateInput, @Ctx() { agents }: SupportContext): Promise<Agent> {
    return agents.create(input);
  }

  @Mutation(() => Agent, { description: 'Change an agent or desk. Omit a field to keep its value.' })
  @Requires('support:admin', { scope: 'organization' })
  updateAgent(
    @Arg('id', () => ID) id: string,
    @Arg('input', () => AgentUpdateInput) input: AgentUpdateInput,
    @Ctx() { agents }: SupportContext,
  ): Promise<Agent> {
    return agents.update(id, input);
  }

  @Mutation(() => Agent, {
    description:
      'Deactivate an agent. The agent gets no new tickets and keeps the current tickets. Fails with INVALID_STATE for the last active agent.',
  })
  @Requires('support:admin', { scope: 'organization' })
  deactivateAgent(@Arg('id', () => ID) id: string, @Ctx() { agents }: SupportContext): Promise<Agent> {
    return agents.update(id, { active: false });
  }

  @FieldResolver(() => [Ticket], { description: 'Newest tickets that the agent works on.' })
  @Requires('support:read')
  tickets(
    @Root() { id }: Agent,
    @Arg('limit', () => Int, { nullable: true }) limit: number | undefined,
    @Ctx() { loaders }: SupportContext,
  ): Promise<Ticket[]> {
    return loaders.tickets.newest('agentId', id, relationLimit(limit));
  }
}
