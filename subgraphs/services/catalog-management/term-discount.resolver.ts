import { Arg, Ctx, Mutation, Query, Resolver } from 'type-graphql';
import { Requires } from '../../../kernel/graphql/requires.ts';
import { CatalogTermDiscount } from '../catalog/catalog.types.ts';
import type { ServicesContext } from '../context.ts';
import { CatalogTermDiscountsInput } from './catalog-management.inputs.ts';

@Resolver()
export class TermDiscountResolver {
  @Query(() => [CatalogTermDiscount], { description: 'List the discounts that quotes with a long term have, sorted by term.' })
  @Requires('services:read', { scope: 'open' })
  catalogTermDiscounts(@Ctx() { termDiscounts }: ServicesContext): Promise<CatalogTermDiscount[]> {
    return termDiscounts.list();
  }

  @Mutation(() => [CatalogTermDiscount], {
    description: 'Replace the discounts for long terms. Quotes that exist keep their discount. For the operator of the platform.',
  })
  @Requires('platform:admin', { scope: 'organization', secondFactor: true })
  replaceCatalogTermDiscounts(
    @Arg('input', () => CatalogTermDiscountsInput, { description: 'All discounts.' }) { discounts }: CatalogTermDiscountsInput,
    @Ctx() { termDiscounts }: ServicesContext,
  ): Promise<CatalogTermDiscount[]> {
    return termDiscounts.replace(discounts);
  }
}
