import { Arg, Ctx, FieldResolver, ID, Mutation, Query, Resolver, Root } from 'type-graphql';
import { type Page, PageInput, pageOf } from '../../../kernel/graphql/page.ts';
import { Requires } from '../../../kernel/graphql/requires.ts';
import { ReadsFields } from '../../../kernel/graphql/selected-fields.ts';
import type { SupportContext } from '../context.ts';
import { Ticket } from '../tickets/ticket.entity.ts';
import { RoutingRuleInput, RoutingRuleUpdateInput } from './routing.inputs.ts';
import { RoutingRule } from './routing-rule.entity.ts';

const RoutingRulePage = pageOf('RoutingRule', RoutingRule);

@Resolver(() => RoutingRule)
export class RoutingRuleResolver {
  @Query(() => RoutingRule, { nullable: true, description: 'Get a routing rule by id. Null if it does not exist.' })
  @Requires('support:write', { scope: 'organization' })
  routingRule(@Arg('id', () => ID) id: string, @Ctx() { routingRules }: SupportContext): Promise<RoutingRule | null> {
    return routingRules.find(id);
  }

  @Query(() => RoutingRulePage, { description: 'List routing rules in the order in which they are evaluated.' })
  @Requires('support:write', { scope: 'organization' })
  routingRules(
    @Arg('page', () => PageInput, { nullable: true }) page: PageInput | undefined,
    @Ctx() { routingRules }: SupportContext,
  ): Promise<Page<RoutingRule>> {
    return routingRules.list(page ?? {});
  }

  @Mutation(() => RoutingRule, { description: 'Create a routing rule.' })
  @Requires('support:admin', { scope: 'organization' })
  createRoutingRule(
    @Arg('input', () => RoutingRuleInput) input: RoutingRuleInput,
    @Ctx() { routingRules }: SupportContext,
  ): Promise<RoutingRule> {
    return routingRules.create(input);
  }

  @Mutation(() => RoutingRule, { description: 'Change a routing rule. Omit a field to keep its value.' })
  @Requires('support:admin', { scope: 'organization' })
  updateRoutingRule(
    @Arg('id', () => ID) id: string,
    @Arg('input', () => RoutingRuleUpdateInput) input: RoutingRuleUpdateInput,
    @Ctx() { routingRules }: SupportContext,
  ): Promise<RoutingRule> {
    return routingRules.update(id, input);
  }

  @Mutation(() => RoutingRule, { description: 'Delete a routing rule and cancel its scheduled actions. Returns the deleted record.' })
  @Requires('support:admin', { scope: 'organization' })
  deleteRoutingRule(@Arg('id', () => ID) id: string, @Ctx() { routingRules }: SupportContext): Promise<RoutingRule> {
    return routingRules.delete(id);
  }
}

@Resolver(() => Ticket)
export class TicketRoutingResolver {
  @FieldResolver(() => RoutingRule, {
    nullable: true,
    description:
      'Routing rule that was applied when the ticket was created. Null if none matched or the rule is deleted. For callers with `support:write`.',
  })
  @Requires('support:write')
  @ReadsFields('routingRuleId')
  async routingRule(
    @Root() { routingRuleId }: Pick<Ticket, 'routingRuleId'>,
    @Ctx() { loaders }: SupportContext,
  ): Promise<RoutingRule | null> {
    return routingRuleId ? loaders.routingRules.load(routingRuleId) : null;
  }
}
