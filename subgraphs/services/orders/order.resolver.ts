import { Arg, Ctx, Mutation, Query, Resolver } from 'type-graphql';
import { InvalidParameters } from '../../../kernel/errors/errors.ts';
import { withPrefix } from '../../../kernel/errors/field-names.ts';
import { Requires } from '../../../kernel/graphql/requires.ts';
import type { ServicesContext } from '../context.ts';
import { Service } from '../inventory/service.entity.ts';
import { OrderPreview } from '../previews/preview.types.ts';
import { CatalogOrderInput, catalogOrderOf, ServiceOrderInput, TYPED_ORDERS } from './order.inputs.ts';

@Resolver()
export class OrderResolver {
  @Query(() => OrderPreview, {
    description: 'Preview an order of any catalog service: its cost, or the reason why it would be refused. Nothing is stored.',
  })
  @Requires('services:create', { scope: 'account' })
  orderPreview(
    @Arg('input', () => CatalogOrderInput, { description: 'Service to order.' }) input: CatalogOrderInput,
    @Ctx() { orders }: ServicesContext,
  ): Promise<OrderPreview> {
    return orders.preview(catalogOrderOf(input));
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
    return context.ordered(context.orders.order(catalogOrderOf(input)));
  }

  @Mutation(() => Service, {
    description:
      'Order a service of any kind. The new service is pending until it works. When it works, the event `service.provisioned` is sent.',
  })
  @Requires('services:create', { secondFactor: true })
  orderService(
    @Arg('input', () => ServiceOrderInput, { description: 'Service to order.' }) input: ServiceOrderInput,
    @Ctx() context: ServicesContext,
  ): Promise<Service> {
    const [name, given] = onlyField(input);
    const typed = TYPED_ORDERS.get(name);
    const placed = typed ? typed.place(context.orders, given) : context.orders.order(catalogOrderOf(given as CatalogOrderInput));
    return context.ordered(placed.catch(withPrefix(name)));
  }
}

/**
 * Returns the only field of an input that is set, and its value.
 * @throws InvalidParameters if not exactly one field is set. The router checks @oneOf too, except for `{ internet: $order }` with a variable
 * that is null; other routers may not know @oneOf.
 */
function onlyField(input: ServiceOrderInput): [name: string, value: object] {
  const [only, ...others] = Object.entries(input).filter(([, value]) => value);
  if (!only || others.length > 0)
    throw new InvalidParameters([{ field: 'input', value: null, reason: 'must have exactly one field, which must not be null' }]);
  return only as [string, object];
}
