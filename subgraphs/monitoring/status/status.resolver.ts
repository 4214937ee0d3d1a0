import { Ctx, FieldResolver, Query, Resolver } from 'type-graphql';
import { Requires } from '../../../kernel/graphql/requires.ts';
import { PlatformComponent } from '../components/component.types.ts';
import type { MonitoringContext } from '../context.ts';
import { MonitoringStatus } from './status.types.ts';

@Resolver(() => MonitoringStatus)
export class StatusResolver {
  @Query(() => MonitoringStatus, {
    description: 'Get the overall status of the services that you can access, and the status of the components of the platform.',
  })
  @Requires('monitoring:read', { scope: 'account' })
  monitoringStatus(@Ctx() { status }: MonitoringContext): Promise<MonitoringStatus> {
    return status.read();
  }

  @FieldResolver(() => [PlatformComponent], {
    description:
      'Components of the platform, measured every 15 seconds. They are the same for all organizations, and the overall status does not depend on them.',
  })
  components(@Ctx() { components }: MonitoringContext): Promise<PlatformComponent[]> {
    return components.list();
  }
}
