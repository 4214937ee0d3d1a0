import { Arg, Ctx, Field, FieldResolver, ID, Mutation, ObjectType, Query, Resolver, Root } from 'type-graphql';
import { Requires } from '../../../kernel/graphql/requires.ts';
import type { SupportContext } from '../context.ts';
import { SlaPolicy } from '../sla-policies/sla-policy.entity.ts';
import { SlaPolicyTarget, shownTargets } from '../sla-policies/sla-policy.values.ts';
import { isDesk } from '../visibility.ts';
import { TicketCategoryUpdateInput } from './category.inputs.ts';
import type { Category } from './category.ts';
import { Subcategory } from './category.values.ts';

@ObjectType({ description: 'How soon tickets of medium priority are answered and resolved.' })
class CategorySla {
  @Field(() => String)
  responseTime!: string;

  @Field(() => String)
  resolutionTime!: string;
}

@ObjectType({ description: 'What a ticket can be about.' })
class TicketCategory {
  @Field(() => ID, { description: 'Such as `connectivity`.' })
  id!: string;

  @Field(() => String)
  name!: string;

  @Field(() => String)
  description!: string;

  @Field(() => ID, { nullable: true, description: 'Null where what the plan promises holds.' })
  slaPolicyId!: string | null;
}

@Resolver(() => TicketCategory)
export class CategoryResolver {
  @Query(() => [TicketCategory], { description: 'Always all of them, in the order in which people look for them.' })
  @Requires('support:read', { scope: 'open' })
  ticketCategories(@Ctx() { categories }: SupportContext): Promise<Category[]> {
    return categories.list();
  }

  @Mutation(() => TicketCategory)
  @Requires('support:admin', { scope: 'organization' })
  updateTicketCategory(
    @Arg('category', () => String) category: string,
    @Arg('input', () => TicketCategoryUpdateInput) input: TicketCategoryUpdateInput,
    @Ctx() { categories }: SupportContext,
  ): Promise<Category> {
    return categories.update(category, input);
  }

  @FieldResolver(() => CategorySla)
  sla(@Root() category: Category, @Ctx() { principal: { plan } }: SupportContext): CategorySla {
    const medium = shownTargets(category.promise(plan).targets).find(({ priority }) => priority === 'medium') as SlaPolicyTarget;
    return { responseTime: medium.responseTime, resolutionTime: medium.resolutionTime };
  }

  @FieldResolver(() => String, { description: 'The name of its SLA policy, else of the plan.' })
  slaTier(@Root() category: Category, @Ctx() { principal: { plan } }: SupportContext): string {
    return category.promise(plan).name;
  }

  @FieldResolver(() => SlaPolicy, { nullable: true, description: 'Null where what the plan promises holds.' })
  @Requires('support:write')
  slaPolicy(@Root() { policy }: Category): SlaPolicy | null {
    return policy ?? null;
  }

  @FieldResolver(() => [SlaPolicyTarget], { description: 'By priority, the most urgent first.' })
  targets(@Root() category: Category, @Ctx() { principal: { plan } }: SupportContext): SlaPolicyTarget[] {
    return shownTargets(category.promise(plan).targets);
  }

  @FieldResolver(() => [Subcategory])
  subcategories(@Root() { subcategories }: Category, @Ctx() { principal }: SupportContext): Subcategory[] {
    const isShown = isDesk(principal);
    return subcategories.map((one) => ({ ...one, routingRules: isShown ? one.routingRules : null }));
  }
}
