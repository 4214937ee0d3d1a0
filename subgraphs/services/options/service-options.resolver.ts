import { Ctx, FieldResolver, Resolver, Root } from 'type-graphql';
import { Requires } from '../../../kernel/graphql/requires.ts';
import { Decimal } from '../../../kernel/values/money.ts';
import type { ServicesContext } from '../context.ts';
import { Service } from '../inventory/service.entity.ts';
import { ServiceOptions } from './service-options.types.ts';

@Resolver(() => Service)
export class ServiceOptionsResolver {
  @FieldResolver(() => ServiceOptions, {
    description:
      'Bandwidths, service levels, features and sizes to which the service can be changed now, with their prices. `changePreview` accepts the same changes.',
  })
  @Requires('services:read', { scope: 'account' })
  availableChanges(@Root() service: Service, @Ctx() { options }: ServicesContext): Promise<ServiceOptions> {
    return options.optionsOf(service);
  }

  @FieldResolver(() => Decimal, {
    nullable: true,
    description:
      'Price of a month if the service were ordered today with the same configuration, without a discount. Null if the catalog does not sell it any more.',
  })
  @Requires('services:read', { scope: 'account' })
  catalogPrice(@Root() service: Service, @Ctx() { options }: ServicesContext): Promise<Decimal | null> {
    return options.catalogPriceOf(service);
  }
}
