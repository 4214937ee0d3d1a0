import { Args, Ctx, Query, Resolver } from 'type-graphql';
import { Requires } from '../../../kernel/graphql/requires.ts';
import type { ServicesContext } from '../context.ts';
import { ServiceMetricsQuery } from './metrics.inputs.ts';
import { ServiceMetrics } from './metrics.types.ts';

@Resolver()
export class MetricsResolver {
  @Query(() => ServiceMetrics, {
    nullable: true,
    description: 'Get the measurements of a service in a period, with its status. Null if the service does not exist.',
  })
  @Requires('services:read', { scope: 'account' })
  async serviceMetrics(
    @Args(() => ServiceMetricsQuery) { id, ...query }: ServiceMetricsQuery,
    @Ctx() { services, metrics }: ServicesContext,
  ): Promise<ServiceMetrics | null> {
    const service = await services.find(id);
    return service && metrics.read(service, query);
  }
}
