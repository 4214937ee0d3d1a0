import { Arg, Ctx, FieldResolver, ID, Int, Mutation, Query, Resolver, Root } from 'type-graphql';
import { type Page, PageInput, pageOf, type SortBy } from '../../../kernel/graphql/page.ts';
import { Requires } from '../../../kernel/graphql/requires.ts';
import { relationLimit } from '../../../kernel/records/loaders.ts';
import { ServiceChange } from '../changes/service-change.entity.ts';
import type { ServicesContext } from '../context.ts';
import { Service } from '../inventory/service.entity.ts';
import { MaintenanceCreateInput, MaintenanceUpdateInput, MaintenanceWindowFilter, MaintenanceWindowSort } from './maintenance.inputs.ts';
import { MaintenanceWindow } from './maintenance-window.entity.ts';

const MaintenanceWindowPage = pageOf('MaintenanceWindow', MaintenanceWindow);

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

@Resolver()
export class MaintenanceWindowResolver {
  @Query(() => MaintenanceWindowPage, {
    description: 'List maintenance windows, the latest start first: planned windows come before past windows.',
  })
  @Requires('monitoring:read')
  maintenanceWindows(
    @Arg('filter', () => MaintenanceWindowFilter, { nullable: true }) filter: MaintenanceWindowFilter | undefined,
    @Arg('sort', () => [MaintenanceWindowSort], { nullable: true }) sort: SortBy[] | undefined,
    @Arg('page', () => PageInput, { nullable: true }) page: PageInput | undefined,
    @Ctx() { maintenance }: ServicesContext,
  ): Promise<Page<MaintenanceWindow>> {
    return maintenance.list(filter ?? {}, sort ?? [], page ?? {});
  }

  @Mutation(() => MaintenanceWindow, {
    description: 'Plan a maintenance of a service, and announce it. Fails with INVALID_STATE if the service cannot be maintained.',
  })
  @Requires('monitoring:write')
  planMaintenance(
    @Arg('input', () => MaintenanceCreateInput, { description: 'Maintenance to plan.' }) input: MaintenanceCreateInput,
    @Ctx() { maintenance }: ServicesContext,
  ): Promise<MaintenanceWindow> {
    return maintenance.plan(input);
  }

  @Mutation(() => MaintenanceWindow, {
    description:
      'Change a maintenance that has not ended. Omit a field to keep its value. Fails with INVALID_STATE if it has ended, or belongs to a change of the service.',
  })
  @Requires('monitoring:write')
  updateMaintenance(
    @Arg('id', () => ID, { description: 'Id of the maintenance window (`maint_…`).' }) id: string,
    @Arg('input', () => MaintenanceUpdateInput) input: MaintenanceUpdateInput,
    @Ctx() { maintenance }: ServicesContext,
  ): Promise<MaintenanceWindow> {
    return maintenance.update(id, input);
  }

  @Mutation(() => MaintenanceWindow, {
    description:
      'Cancel a maintenance that has not ended. Fails with INVALID_STATE if it has ended, or belongs to a change of the service.',
  })
  @Requires('monitoring:write')
  cancelMaintenance(
    @Arg('id', () => ID, { description: 'Id of the maintenance window (`maint_…`).' }) id: string,
    @Ctx() { maintenance }: ServicesContext,
  ): Promise<MaintenanceWindow> {
    return maintenance.cancel(id);
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
