import { Arg, Ctx, FieldResolver, ID, Mutation, Query, Resolver, Root } from 'type-graphql';
import { Requires } from '../../../kernel/graphql/requires.ts';
import { ExpectedRevision } from '../../../kernel/records/revision.ts';
import type { ServicesContext } from '../context.ts';
import { Service } from '../inventory/service.entity.ts';
import { ServiceType } from '../inventory/service.states.ts';
import { ChangePreview } from '../previews/preview.types.ts';
import { ServiceChange } from './service-change.entity.ts';
import {
  ScalingInput,
  ServiceChangeInput,
  ServiceConfigurationInput,
  ServiceFeaturesInput,
  ServiceUpdateInput,
} from './service-update.inputs.ts';

const PENDING =
  'A change that the provider must make is in `pendingChanges` until it is applied. When it is applied, the event `service.modified` is sent.';
const REFUSED = 'Fails with INVALID_STATE if the service is not in service, and with SERVICE_MAINTENANCE during maintenance.';
const OF_TYPE = 'Fails with RESOURCE_NOT_FOUND if the service is of another kind.';

@Resolver(() => Service)
export class ServiceUpdateResolver {
  @Query(() => ChangePreview, {
    nullable: true,
    description:
      'Preview a change of terms and features of a service: its effect and its cost, or the reason why it would be refused. Nothing is stored. Null if the service does not exist.',
  })
  @Requires('services:write', { scope: 'account' })
  changePreview(
    @Arg('id', () => ID, { description: 'Id of the service (`svc_…`).' }) id: string,
    @Arg('input', () => ServiceChangeInput, { description: 'New terms and features.' }) input: ServiceChangeInput,
    @Ctx() { updates }: ServicesContext,
  ): Promise<ChangePreview | null> {
    return updates.preview(id, input);
  }

  @Mutation(() => Service, {
    description: `Change terms of a service, such as its name, bandwidth and service level. ${PENDING} ${REFUSED}`,
  })
  @Requires('services:write', { secondFactor: true })
  updateService(
    @Arg('id', () => ID) id: string,
    @Arg('input', () => ServiceUpdateInput, { description: 'New terms.' }) input: ServiceUpdateInput,
    @Arg('type', () => ServiceType, { nullable: true, description: OF_TYPE }) type: ServiceType | undefined,
    @ExpectedRevision() expectedRevision: number | undefined,
    @Ctx() { updates }: ServicesContext,
  ): Promise<Service> {
    return updates.update(id, input, { type, expectedRevision });
  }

  @Mutation(() => Service, { description: `Change settings that are specific to the kind of service. ${PENDING} ${REFUSED}` })
  @Requires('services:write', { secondFactor: true })
  updateServiceConfiguration(
    @Arg('id', () => ID) id: string,
    @Arg('input', () => ServiceConfigurationInput, { description: 'New settings.' }) { configuration }: ServiceConfigurationInput,
    @ExpectedRevision() expectedRevision: number | undefined,
    @Ctx() { updates }: ServicesContext,
  ): Promise<Service> {
    return updates.configure(id, configuration, { expectedRevision });
  }

  @Mutation(() => Service, {
    description: `Switch features of a service on or off. Fails with SERVICE_CONFLICT if a feature requires another feature that is not switched on. ${PENDING} ${REFUSED}`,
  })
  @Requires('services:write', { secondFactor: true })
  updateServiceFeatures(
    @Arg('id', () => ID) id: string,
    @Arg('input', () => ServiceFeaturesInput, { description: 'Features to switch on or off.' }) { features }: ServiceFeaturesInput,
    @ExpectedRevision() expectedRevision: number | undefined,
    @Ctx() { updates }: ServicesContext,
  ): Promise<Service> {
    return updates.setFeatures(id, features, { expectedRevision });
  }

  @Mutation(() => ServiceChange, {
    description: `Change the size of a service, now or at a date. Fails with SERVICE_CONFLICT if another scaling waits for its date. ${REFUSED}`,
  })
  @Requires('services:write', { secondFactor: true })
  scaleService(
    @Arg('id', () => ID, { description: 'Id of the service (`svc_…`).' }) id: string,
    @Arg('input', () => ScalingInput, { description: 'New size, and when it takes effect.' }) input: ScalingInput,
    @ExpectedRevision() expectedRevision: number | undefined,
    @Ctx() { updates }: ServicesContext,
  ): Promise<ServiceChange> {
    return updates.scale(id, input, { expectedRevision });
  }

  // without a permission of its own, because the response to an order contains it, and services:create is enough to order
  @FieldResolver(() => [ServiceChange], { description: 'Changes that have not ended: scheduled, waiting or in progress, newest first.' })
  pendingChanges(@Root() { id }: Service, @Ctx() context: ServicesContext): Promise<ServiceChange[]> {
    return context.pendingChangesOf(id);
  }
}
