import { Arg, Ctx, FieldResolver, Resolver, Root } from 'type-graphql';
import { type Page, PageInput } from '../../../kernel/graphql/page.ts';
import { Requires } from '../../../kernel/graphql/requires.ts';
import { ServiceChange } from '../changes/service-change.entity.ts';
import type { ServicesContext } from '../context.ts';
import { Service } from '../inventory/service.entity.ts';
import { MaintenanceWindow } from '../maintenance/maintenance-window.entity.ts';
import { StatusChange } from '../status/status-change.entity.ts';
import { ServiceTimelinePage, TimelineEntry } from './timeline.types.ts';

@Resolver(() => Service)
export class TimelineResolver {
  @FieldResolver(() => ServiceTimelinePage, {
    description:
      'History of the service, newest first: changes of its status, orders to change it, and maintenance windows. They are sorted by the time at which they were created.',
  })
  @Requires('services:read', { scope: 'account' })
  timeline(
    @Root() { id }: Service,
    @Arg('page', () => PageInput, { nullable: true }) page: PageInput | undefined,
    @Ctx() { timelines }: ServicesContext,
  ): Promise<Page<TimelineEntry>> {
    return timelines.page(id, page ?? {});
  }
}

@Resolver(() => TimelineEntry)
export class TimelineEntryResolver {
  @FieldResolver(() => StatusChange, { nullable: true, description: 'The change of the status. Null for other entries.' })
  async statusChange(@Root() { kind, id }: TimelineEntry, @Ctx() { loaders }: ServicesContext): Promise<StatusChange | null> {
    return kind === 'statusChanges' ? loaders.statusChanges.load(id) : null;
  }

  @FieldResolver(() => ServiceChange, { nullable: true, description: 'The present state of the ordered change. Null for other entries.' })
  async change(@Root() { kind, id }: TimelineEntry, @Ctx() { loaders }: ServicesContext): Promise<ServiceChange | null> {
    return kind === 'serviceChanges' ? loaders.serviceChanges.load(id) : null;
  }

  @FieldResolver(() => MaintenanceWindow, {
    nullable: true,
    description: 'The present state of the maintenance window. Null for other entries.',
  })
  async maintenanceWindow(@Root() { kind, id }: TimelineEntry, @Ctx() { loaders }: ServicesContext): Promise<MaintenanceWindow | null> {
    return kind === 'maintenanceWindows' ? loaders.maintenanceWindows.load(id) : null;
  }
}
