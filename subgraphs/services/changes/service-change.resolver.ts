import { Arg, Ctx, FieldResolver, ID, Int, Mutation, Query, Resolver, Root } from 'type-graphql';
import { type Page, PageInput, pageOf } from '../../../kernel/graphql/page.ts';
import { Requires } from '../../../kernel/graphql/requires.ts';
import { relationLimit } from '../../../kernel/records/loaders.ts';
import type { ServicesContext } from '../context.ts';
import { Service } from '../inventory/service.entity.ts';
import { ServiceType } from '../inventory/service.states.ts';
import { ServiceChange } from './service-change.entity.ts';
import { DecommissionInput } from './service-change.inputs.ts';

const ServiceChangePage = pageOf('ServiceChange', ServiceChange);

@Resolver(() => ServiceChange)
export class ServiceChangeResolver {
  @Query(() => ServiceChangePage, { description: 'List the changes of a service, newest first.' })
  @Requires('services:read')
  serviceChanges(
    @Arg('serviceId', () => ID, { description: 'Service whose changes are listed (`svc_…`).' }) serviceId: string,
    @Arg('page', () => PageInput, { nullable: true }) page: PageInput | undefined,
    @Ctx() { changes }: ServicesContext,
  ): Promise<Page<ServiceChange>> {
    return changes.list(serviceId, page ?? {});
  }

  @Mutation(() => Service, {
    description:
      'Take a service down now. The service is `DECOMMISSIONING` until the provider has released it. After the release, the event `service.decommissioned` is sent. A service that was never provisioned is cancelled. Fails with INVALID_STATE if the service is already being taken down, and with SERVICE_MAINTENANCE during maintenance.',
  })
  @Requires('services:write', { secondFactor: true })
  endService(
    @Arg('id', () => ID) id: string,
    @Arg('type', () => ServiceType, { nullable: true, description: 'Fails with RESOURCE_NOT_FOUND if the service is of another kind.' })
    type: ServiceType | undefined,
    @Ctx() { changes }: ServicesContext,
  ): Promise<Service> {
    return changes.end(id, type);
  }

  @Mutation(() => ServiceChange, {
    description:
      'Take a service down at a date. Fails with SERVICE_CONFLICT if the service already has a decommission, or if the destination of its data is unsuitable. Fails with INVALID_STATE if the service is already being taken down.',
  })
  @Requires('services:write', { secondFactor: true })
  decommissionService(
    @Arg('id', () => ID, { description: 'Id of the service (`svc_…`).' }) id: string,
    @Arg('input', () => DecommissionInput, { description: 'Date, migration of data, and reason.' }) input: DecommissionInput,
    @Ctx() { changes }: ServicesContext,
  ): Promise<ServiceChange> {
    return changes.decommission(id, input);
  }

  @Mutation(() => ServiceChange, {
    description: 'Cancel a change that waits for its date. Fails with INVALID_STATE if the change has begun or ended.',
  })
  @Requires('services:write', { secondFactor: true })
  cancelServiceChange(
    @Arg('id', () => ID) id: string,
    @Arg('serviceId', () => ID, {
      nullable: true,
      description:
        'Service of the change (`svc_…`). If the change belongs to another service, the response is the same as for an unknown change. Default: any.',
    })
    serviceId: string | undefined,
    @Ctx() { changes }: ServicesContext,
  ): Promise<ServiceChange> {
    return changes.cancel(id, serviceId);
  }

  @FieldResolver(() => Service, { nullable: true, description: 'Service that is changed.' })
  @Requires('services:read')
  service(@Root() { serviceId }: ServiceChange, @Ctx() { loaders }: ServicesContext): Promise<Service | null> {
    return loaders.services.load(serviceId);
  }
}

@Resolver(() => Service)
export class ServiceChangesResolver {
  @FieldResolver(() => [ServiceChange], { description: 'Newest changes of the service.' })
  @Requires('services:read')
  changes(
    @Root() { id }: Service,
    @Arg('limit', () => Int, { nullable: true }) limit: number | undefined,
    @Ctx() { loaders }: ServicesContext,
  ): Promise<ServiceChange[]> {
    return loaders.serviceChanges.newest('serviceId', id, relationLimit(limit));
  }
}
