import { Arg, Ctx, FieldResolver, Int, Resolver, Root } from 'type-graphql';
import { Requires } from '../../../kernel/graphql/requires.ts';
import { relationLimit } from '../../../kernel/records/loaders.ts';
import { ServiceChange } from '../changes/service-change.entity.ts';
import type { ServicesContext } from '../context.ts';
import { Service } from '../inventory/service.entity.ts';
import { MaintenanceWindow } from './maintenance-window.entity.ts';

@Resolver(() => Service)
export class MaintenanceResolver {
  @FieldResolver(() => [MaintenanceWindow], { description: 'Newest maintenance windows of the service, planned or past.' })
  @Requires('services:read')
  maintenanceWindows(
    @Root() { id }: Service,
    @Arg('limit', () => Int, { nullable: true }) limit: number | undefined,
    @Ctx() { loaders }: ServicesContext,
  ): Promise<MaintenanceWindow[]> {
    return loaders.maintenanceWindows.newest('serviceId', id, relationLimit(limit));
  }
}

@Resolver(() => ServiceChange)
export class ChangeMaintenanceResolver {
  // without a permission of its own, because the response to a scaling contains it, and services:write is enough to scale
  @FieldResolver(() => MaintenanceWindow, {
    nullable: true,
    description: 'Maintenance during which the change is made. Null if the service is not maintained for it.',
  })
  async maintenanceWindow(@Root() { id }: ServiceChange, @Ctx() { loaders }: ServicesContext): Promise<MaintenanceWindow | null> {
    const [window = null] = await loaders.maintenanceWindows.newest('serviceChangeId', id, 1);
    return window;
  }
}
