import { Arg, Ctx, ID, Mutation, Query, Resolver } from 'type-graphql';
import { type Page, PageInput, pageOf } from '../../../kernel/graphql/page.ts';
import { Requires } from '../../../kernel/graphql/requires.ts';
import type { BillingContext } from '../context.ts';
import { UsagePrice } from './usage-price.entity.ts';
import { UsagePriceFilter, UsagePriceInput } from './usage-price.inputs.ts';

const UsagePricePage = pageOf('UsagePrice', UsagePrice);

@Resolver(() => UsagePrice)
export class UsagePriceResolver {
  @Query(() => UsagePricePage, { description: 'List the prices of metered usage, newest first, including prices that have ended.' })
  @Requires('billing:read', { scope: 'organization' })
  usagePrices(
    @Arg('filter', () => UsagePriceFilter, { nullable: true }) filter: UsagePriceFilter | undefined,
    @Arg('page', () => PageInput, { nullable: true }) page: PageInput | undefined,
    @Ctx() { usagePrices }: BillingContext,
  ): Promise<Page<UsagePrice>> {
    return usagePrices.list(filter ?? {}, page ?? {});
  }

  @Mutation(() => UsagePrice, {
    description:
      'Set a price of metered usage. It replaces the price of the same services, metric and currency. A billing period has the price that is valid at its start.',
  })
  @Requires('billing:admin', { scope: 'organization', secondFactor: true })
  setUsagePrice(
    @Arg('input', () => UsagePriceInput, { description: 'Price to set.' }) input: UsagePriceInput,
    @Ctx() { usagePrices }: BillingContext,
  ): Promise<UsagePrice> {
    return usagePrices.set(input);
  }

  @Mutation(() => UsagePrice, {
    description: 'End a price of metered usage now. After that, a less specific price applies. If there is none, the usage is free.',
  })
  @Requires('billing:admin', { scope: 'organization', secondFactor: true })
  endUsagePrice(
    @Arg('id', () => ID, { description: 'Id of the price (`uprice_…`).' }) id: string,
    @Ctx() { usagePrices }: BillingContext,
  ): Promise<UsagePrice> {
    return usagePrices.end(id);
  }
}
