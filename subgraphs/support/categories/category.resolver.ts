import { Arg, Ctx, Field, FieldResolver, ID, Mutation, ObjectType, Query, Resolver, Root } from 'type-graphql';
import { Requires } from '../../../kernel/graphql/requires.ts';
import type { SupportContext } from '../context.ts';
import { SlaPolicy } from '../sla-policies/sla-policy.entity.ts';
import { SlaPolicyTarget, shownTargets } from '../sla-policies/sla-policy.values.ts';
import { isDesk } from '../visibility.ts';
import { TicketCategoryUpdateInput } from './category.inputs.ts';
import type { Category } from './category.ts';
import { Subcategory } from './category.values.ts';

@ObjectType({ description: 'Targets of a category for tickets of medium priority.' })
class CategorySla {
  @Field(() => String, { description: 'Target for the first response, such as `2 hours`.' })
  responseTime!: string;

  @Field(() => String, { description: 'Target for the resolution, such as `8 hours`.' })
  resolutionTime!: string;
}

@ObjectType({ description: 'A category of tickets with its service level.' })
class TicketCategory {
  @Field(() => ID, { description: 'Identifier of the category, such as `connectivity`.' })
  id!: string;

  @Field(() => String, { description: 'Display name.' })
  name!: string;

  @Field(() => String, { description: 'One sentence about what belongs to the category.' })
  description!: string;

  @Field(() => ID, { nullable: true, description: 'SLA policy of the category (`sla_…`). Null if the service level of the plan applies.' })
  slaPolicyId!: string | null;
}

@Resolver(() => TicketCategory)
export class CategoryResolver {
  @Query(() => [TicketCategory], {
    description: 'List all ticket categories with their service levels, in display order. There is no paging.',
  })
  @Requires('support:read', { scope: 'open' })
  ticketCategories(@Ctx() { categories }: SupportContext): Promise<Category[]> {
    return categories.list();
  }

  @Mutation(() => TicketCategory, {
    description: 'Change a ticket category of your organization. Omit a field to keep its value.',
  })
  @Requires('support:admin', { scope: 'organization' })
  updateTicketCategory(
    @Arg('category', () => String, { description: 'Id of the category, such as `connectivity`.' }) category: string,
    @Arg('input', () => TicketCategoryUpdateInput) input: TicketCategoryUpdateInput,
    @Ctx() { categories }: SupportContext,
  ): Promise<Category> {
    return categories.update(category, input);
  }

  @FieldResolver(() => CategorySla, { description: 'Targets for tickets of medium priority.' })
  sla(@Root() category: Category, @Ctx() { principal: { plan } }: SupportContext): CategorySla {
    const medium = shownTargets(category.promise(plan).targets).find(({ priority }) => priority === 'medium') as SlaPolicyTarget;
    return { responseTime: medium.responseTime, resolutionTime: medium.resolutionTime };
  }

  @FieldResolver(() => String, { description: 'Name of the SLA policy, or of the plan if no policy applies.' })
  slaTier(@Root() category: Category, @Ctx() { principal: { plan } }: SupportContext): string {
    return category.promise(plan).name;
  }

  @FieldResolver(() => SlaPolicy, {
    nullable: true,
    description: 'SLA policy of the category. Null if the service level of the plan applies.',
  })
  @Requires('support:write')
  slaPolicy(@Root() { policy }: Category): SlaPolicy | null {
    return policy ?? null;
  }

  @FieldResolver(() => [SlaPolicyTarget], { description: 'Targets for each priority, the most urgent first.' })
  targets(@Root() category: Category, @Ctx() { principal: { plan } }: SupportContext): SlaPolicyTarget[] {
    return shownTargets(category.promise(plan).targets);
  }

  @FieldResolver(() => [Subcategory], { description: 'Subcategories in display order.' })
  subcategories(@Root() { subcategories }: Category, @Ctx() { principal }: SupportContext): Subcategory[] {
    const isShown = isDesk(principal);
    return subcategories.map((one) => ({ ...one, routingRules: isShown ? one.routingRules : null }));
  }
}
