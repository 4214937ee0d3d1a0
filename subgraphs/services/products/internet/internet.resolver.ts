import { Arg, Ctx, Mutation, Resolver } from 'type-graphql';
import { Requires } from '../../../../kernel/graphql/requires.ts';
import type { ServicesContext } from '../../context.ts';
import { Service } from '../../inventory/service.entity.ts';
import { InternetServiceOrderInput, internetOrder } from './internet.inputs.ts';

@Resolver()
export class InternetResolver {
  @Mutation(() => Service, {
    description:
      'Order an internet service. The new service is pending until it works. When it works, the event `service.provisioned` is sent. The order is rejected if the technology does not reach the location with the requested bandwidth.',
  })
  @Requires('services:create', { secondFactor: true })
  orderInternetService(
    @Arg('input', () => InternetServiceOrderInput, { description: 'Service to order.' }) input: InternetServiceOrderInput,
    @Ctx() context: ServicesContext,
  ): Promise<Service> {
    return context.ordered(internetOrder.place(context.orders, input));
  }
}
