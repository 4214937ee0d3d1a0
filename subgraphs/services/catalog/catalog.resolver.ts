import { Arg, Ctx, Query, Resolver } from 'type-graphql';
import { Requires } from '../../../kernel/graphql/requires.ts';
import type { ServicesContext } from '../context.ts';
import { ServiceCatalog } from './catalog.types.ts';

@Resolver()
export class CatalogResolver {
  @Query(() => ServiceCatalog, { description: 'Get the services of the catalog with their prices, grouped by category.' })
  @Requires('services:read', { scope: 'open' })
  catalog(
    @Arg('category', () => String, {
      nullable: true,
      description: 'Name of one category, such as `connectivity`. Default: all categories.',
    })
    category: string | undefined,
    @Ctx() { catalog }: ServicesContext,
  ): Promise<ServiceCatalog> {
    return catalog.read(category);
  }
}
