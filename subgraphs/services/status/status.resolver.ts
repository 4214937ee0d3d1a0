import { Arg, Ctx, FieldResolver, ID, Int, Query, Resolver, Root } from 'type-graphql';
import { Requires } from '../../../kernel/graphql/requires.ts';
import { relationLimit } from '../../../kernel/records/loaders.ts';
import type { ServicesContext } from '../context.ts';
import { Service } from '../inventory/service.entity.ts';
import { ServiceHealth, ServiceStatusRecord } from './status.types.ts';
import { StatusChange } from './status-change.entity.ts';

@Resolver(() => Service)
export class StatusResolver {
  @Query(() => ServiceStatusRecord, {
    nullable: true,
    description: 'Get status, uptime and latest measurements of a service. Null if the service does not exist.',
  })
  @Requires('services:read', { scope: 'account' })
  async serviceStatus(
    @Arg('id', () => ID, { description: 'Id of the service (`svc_…`).' }) id: string,
    @Ctx() { services, statuses }: ServicesContext,
  ): Promise<ServiceStatusRecord | null> {
    const service = await services.find(id);
    return service && statuses.recordOf(service);
  }

  @Query(() => ServiceHealth, {
    nullable: true,
    description: 'Get the health checks of a service with their reasons. Null if the service does not exist.',
  })
  @Requires('services:read', { scope: 'account' })
  async serviceHealth(
    @Arg('id', () => ID, { description: 'Id of the service (`svc_…`).' }) id: string,
    @Ctx() { services, statuses }: ServicesContext,
  ): Promise<ServiceHealth | null> {
    const service = await services.find(id);
    return service && statuses.healthOf(service);
  }

  @Query(() => ServiceStatusRecord, {
    nullable: true,
    description:
      'Get status, uptime and latest measurements of a service, the same as `serviceStatus`, for callers with `monitoring:read`. Null if the service does not exist.',
  })
  @Requires('monitoring:read', { scope: 'account' })
  async monitoredServiceStatus(
    @Arg('id', () => ID, { description: 'Id of the service (`svc_…`).' }) id: string,
    @Ctx() { services, statuses }: ServicesContext,
  ): Promise<ServiceStatusRecord | null> {
    const service = await services.find(id);
    return service && statuses.recordOf(service);
  }

  @FieldResolver(() => ServiceStatusRecord, { description: 'Current status, uptime and latest measurements.' })
  statusRecord(@Root() service: Service, @Ctx() { statuses }: ServicesContext): Promise<ServiceStatusRecord> {
    return statuses.recordOf(service);
  }

  @FieldResolver(() => [StatusChange], { description: 'Changes of the status, newest first.' })
  statusHistory(
    @Root() { id }: Service,
    @Arg('limit', () => Int, { nullable: true }) limit: number | undefined,
    @Ctx() { loaders }: ServicesContext,
  ): Promise<StatusChange[]> {
    return loaders.statusChanges.newest('serviceId', id, relationLimit(limit));
  }
}
