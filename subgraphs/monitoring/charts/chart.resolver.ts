import { Args, Ctx, Directive, FieldResolver, Query, Resolver, Root } from 'type-graphql';
import { Requires } from '../../../kernel/graphql/requires.ts';
import type { MonitoringContext } from '../context.ts';
import { Service } from '../references.ts';
import { MetricChartQuery, SERVICE_METRICS_MAX, ServiceMetricsArgs } from './chart.inputs.ts';
import { MetricChart } from './chart.types.ts';

@Resolver()
export class ChartResolver {
  @Query(() => MetricChart, { nullable: true, description: 'Get a metric in the steps of a range. Null if it does not exist.' })
  @Requires('monitoring:read', { scope: 'account' })
  metric(@Args(() => MetricChartQuery) query: MetricChartQuery, @Ctx() { charts }: MonitoringContext): Promise<MetricChart | null> {
    return charts.read(query);
  }
}

@Resolver(() => Service)
export class ServiceChartsResolver {
  @FieldResolver(() => [MetricChart], {
    description: 'Metrics of the service in the steps of a range. A metric without series of the service is omitted.',
  })
  @Directive(`@listSize(assumedSize: ${SERVICE_METRICS_MAX})`)
  @Requires('monitoring:read', { scope: 'account' })
  metrics(
    @Root() { id }: Service,
    @Args(() => ServiceMetricsArgs) { names, ...query }: ServiceMetricsArgs,
    @Ctx() { charts }: MonitoringContext,
  ): Promise<MetricChart[]> {
    return charts.ofService(id, names, query);
  }
}
