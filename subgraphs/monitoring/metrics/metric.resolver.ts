import { Arg, Args, Ctx, FieldResolver, Query, Resolver, Root } from 'type-graphql';
import { type Page, PageInput } from '../../../kernel/graphql/page.ts';
import { Requires } from '../../../kernel/graphql/requires.ts';
import type { MonitoringContext } from '../context.ts';
import { Service } from '../references.ts';
import { MetricQuery } from './metric.inputs.ts';
import { METRIC_SERVICES_MAX, Metric, MetricPage } from './metric.types.ts';

@Resolver(() => Metric)
export class MetricResolver {
  @Query(() => MetricPage, { description: 'List the metrics of your organization, sorted by name.' })
  @Requires('monitoring:read', { scope: 'account' })
  metrics(
    @Args(() => MetricQuery) query: MetricQuery,
    @Arg('page', () => PageInput, { nullable: true }) page: PageInput | null,
    @Ctx() { metrics }: MonitoringContext,
  ): Promise<Page<Metric>> {
    return metrics.list(query, page ?? {});
  }

  @FieldResolver(() => [Service], { description: `Services that have the metric, at most ${METRIC_SERVICES_MAX}.` })
  services(@Root() { serviceIds }: Metric): Service[] {
    return serviceIds.map((id) => ({ id }));
  }
}
