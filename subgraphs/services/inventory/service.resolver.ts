import { Arg, Ctx, FieldResolver, ID, Int, Query, Resolver, Root } from 'type-graphql';
import { type Page, PageInput, pageOf, type SortBy } from '../../../kernel/graphql/page.ts';
import { Requires } from '../../../kernel/graphql/requires.ts';
import { relationLimit } from '../../../kernel/records/loaders.ts';
import { CatalogService } from '../catalog/catalog.types.ts';
import type { ServicesContext } from '../context.ts';
import { Account } from '../references.ts';
import { Service } from './service.entity.ts';
import { ServiceType } from './service.states.ts';
import { ServiceFilter, ServiceSort } from './service-list.values.ts';

const ServicePage = pageOf('Service', Service);

@Resolver(() => Service)
export class ServiceResolver {
  @Query(() => Service, { nullable: true, description: 'Get a service by id. Null if it does not exist.' })
  @Requires('services:read')
  service(
    @Arg('id', () => ID) id: string,
    @Arg('type', () => ServiceType, { nullable: true, description: 'Returns null if the service is of another kind.' }) type:
      | ServiceType
      | undefined,
    @Ctx() { services }: ServicesContext,
  ): Promise<Service | null> {
    return services.find(id, type);
  }

  @Query(() => ServicePage, { description: 'List services, newest first.' })
  @Requires('services:read')
  services(
    @Arg('filter', () => ServiceFilter, { nullable: true }) filter: ServiceFilter | undefined,
    @Arg('sort', () => [ServiceSort], { nullable: true }) sort: SortBy[] | undefined,
    @Arg('page', () => PageInput, { nullable: true }) page: PageInput | undefined,
    @Ctx() { services }: ServicesContext,
  ): Promise<Page<Service>> {
    return services.list(filter ?? {}, sort ?? [], page ?? {});
  }

  @FieldResolver(() => CatalogService, { description: 'The catalog service that was ordered, even if it is retired.' })
  catalogService(@Root() { catalogId }: Service, @Ctx() { catalog }: ServicesContext): Promise<CatalogService> {
    return catalog.ordered(catalogId);
  }

  @FieldResolver(() => Account, { description: 'Account that the service belongs to.' })
  account(@Root() { accountId }: Service): Account {
    return { id: accountId };
  }
}

@Resolver(() => Account)
export class AccountServicesResolver {
  @FieldResolver(() => [Service], { description: 'Newest services of the account.' })
  @Requires('services:read')
  services(
    @Root() { id }: Account,
    @Arg('limit', () => Int, { nullable: true }) limit: number | undefined,
    @Ctx() { loaders }: ServicesContext,
  ): Promise<Service[]> {
    return loaders.services.newest('accountId', id, relationLimit(limit));
  }
}
