import { Arg, Ctx, Query, Resolver } from 'type-graphql';
import { type Page, PageInput, type SortBy } from '../../../kernel/graphql/page.ts';
import { Requires } from '../../../kernel/graphql/requires.ts';
import type { ServicesContext } from '../context.ts';
import { CarrierFilter, CarrierSort } from './carrier.inputs.ts';
import { type Carrier, CarrierPage } from './carrier.types.ts';

@Resolver()
export class CarrierResolver {
  @Query(() => CarrierPage, { description: 'List the carriers whose lines connect locations to the network, sorted by name.' })
  @Requires('services:read', { scope: 'open' })
  carriers(
    @Arg('filter', () => CarrierFilter, { nullable: true, description: 'Conditions. Default: all carriers.' })
    filter: CarrierFilter | undefined,
    @Arg('sort', () => [CarrierSort], { nullable: true, description: 'Sort order. Default: name, ascending.' }) sort: SortBy[] | undefined,
    @Arg('page', () => PageInput, { nullable: true, description: 'Part of the list to return.' }) page: PageInput | undefined,
    @Ctx() { carriers }: ServicesContext,
  ): Promise<Page<Carrier>> {
    return carriers.list(filter ?? {}, sort ?? [], page ?? {});
  }
}
