import { Arg, Ctx, Mutation, Resolver } from 'type-graphql';
import { Requires } from '../../../kernel/graphql/requires.ts';
import type { ServicesContext } from '../context.ts';
import { Service } from '../inventory/service.entity.ts';
import { InternetServiceOrderInput } from './order.inputs.ts';

@Resolver()
export class OrderResolver {
  @Mutation(() => Service, { description: 'Orders an internet service. It is pending; `service.provisioned` tells when it works.' })
  @Requires('services:create', { secondFactor: true })
  orderInternetService(
    @Arg('input', () => InternetServiceOrderInput) input: InternetServiceOrderInput,
    @Ctx() { orders }: ServicesContext,
  ): Promise<Service> {
    return orders.orderInternet(input);
  }
}
