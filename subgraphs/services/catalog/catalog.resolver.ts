import { Arg, Ctx, Query, Resolver } from 'type-graphql';
import { Requires } from '../../../kernel/graphql/requires.ts';
import type { ServicesContext } from '../context.ts';
import { ServiceCatalog } from './catalog.types.ts';

@Resolver()
export class CatalogResolver {
  @Query(() => ServiceCatalog, { description: 'All categories, or one.' })
  @Requires('services:read', { scope: 'open' })
  catalog(
    @Arg('category', () => String, { nullable: true, description: 'Such as `connectivity`.' }) category: string | undefined,
    @Ctx() { catalog }: ServicesContext,
  ): Promise<ServiceCatalog> {
    return catalog.read(category);
  }
}
