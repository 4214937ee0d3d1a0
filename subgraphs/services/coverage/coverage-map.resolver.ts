import { Arg, Ctx, Query, Resolver } from 'type-graphql';
import { Requires } from '../../../kernel/graphql/requires.ts';
import type { ServicesContext } from '../context.ts';
import { CoverageMap, CoverageMapFilter } from './coverage-map.types.ts';

@Resolver()
export class CoverageMapResolver {
  @Query(() => CoverageMap, { description: 'Get the areas in which access technologies are available, as GeoJSON.' })
  @Requires('services:read', { scope: 'open' })
  coverage(
    @Arg('filter', () => CoverageMapFilter, { nullable: true, description: 'Part of the map. Default: all areas with fiber.' })
    filter: CoverageMapFilter | undefined,
    @Ctx() { coverage }: ServicesContext,
  ): Promise<CoverageMap> {
    return coverage.map(filter ?? {});
  }
}
