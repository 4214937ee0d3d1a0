import { Arg, Ctx, Mutation, Query, Resolver } from 'type-graphql';
import { Requires } from '../../../kernel/graphql/requires.ts';
import type { ServicesContext } from '../context.ts';
import { Service } from '../inventory/service.entity.ts';
import { OrderPreview } from '../previews/preview.types.ts';
import { CatalogOrderInput, InternetServiceOrderInput } from './order.inputs.ts';

@Resolver()
export class OrderResolver {
  @Mutation(() => Service, {
    description:
      'Order an internet service. The new service is pending until it works. When it works, the event `service.provisioned` is sent. The order is rejected if the technology does not reach the location with the requested bandwidth.',
  })
  @Requires('services:create', { secondFactor: true })
  orderInternetService(
    @Arg('input', () => InternetServiceOrderInput, { description: 'Service to order.' }) input: InternetServiceOrderInput,
    @Ctx() context: ServicesContext,
  ): Promise<Service> {
    const { serviceType, ...order } = input;
    return context.ordered(context.orders.order({ ...order, catalog: { serviceType } }));
  }

  @Query(() => OrderPreview, {
    description: 'Preview an order of any catalog service: its cost, or the reason why it would be refused. Nothing is stored.',
  })
  @Requires('services:create', { scope: 'account' })
  orderPreview(
    @Arg('input', () => CatalogOrderInput, { description: 'Service to order.' }) input: CatalogOrderInput,
    @Ctx() { orders }: ServicesContext,
  ): Promise<OrderPreview> {
    const { catalogId, location = null, ...order } = input;
    return orders.preview({ ...order, location, catalog: { id: catalogId } });
  }

  @Mutation(() => Service, {
    description:
      'Order any service of the catalog that can be ordered. The new service is pending until it works. When it works, the event `service.provisioned` is sent.',
  })
  @Requires('services:create', { secondFactor: true })
  orderCatalogService(
    @Arg('input', () => CatalogOrderInput, { description: 'Service to order.' }) input: CatalogOrderInput,
    @Ctx() context: ServicesContext,
  ): Promise<Service> {
    const { catalogId, location = null, ...order } = input;
    return context.ordered(context.orders.order({ ...order, location, catalog: { id: catalogId } }));
  }
}
