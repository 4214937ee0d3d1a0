import { Arg, type ClassType, Ctx, FieldResolver, ID, Query, Resolver, Root } from 'type-graphql';
import { type Page, PageInput, pageOf, type SortBy } from '../../../kernel/graphql/page.ts';
import { Requires } from '../../../kernel/graphql/requires.ts';
import { ServiceChange } from '../changes/service-change.entity.ts';
import type { ServicesContext } from '../context.ts';
import { Service } from '../inventory/service.entity.ts';
import { ServiceFilter, ServiceSort } from '../inventory/service-list.values.ts';
import type { Product } from './product.ts';
import type { ProductRecord } from './product-record.ts';
import { detailOf, ServiceDetail } from './service-detail.ts';

/** Names of the queries of a product: one record, and a list. */
interface QueryNames {
  one: string;
  many: string;
  /** Word for one record in the descriptions of the queries, such as `network`. */
  noun: string;
}

/**
 * Creates the base class of the resolver of a product. It has the queries of the product, and the relations that the
 * records of all products have.
 */
export function productResolver<T extends ProductRecord>(
  product: Product,
  { one, many, noun }: QueryNames,
): abstract new () => { recordOf(service: Service): T } {
  const Detail = product.detail as ClassType<T> & (new (service: Service) => T);
  const DetailPage = pageOf(Detail.name, Detail);

  @Resolver(() => Detail)
  abstract class ProductResolver {
    recordOf(service: Service): T {
      return new Detail(service);
    }

    @Query(() => Detail, { name: one, nullable: true, description: `Get a ${noun} by id. Null if it does not exist.` })
    @Requires('services:read', { scope: 'account' })
    async one(
      @Arg('id', () => ID, { description: `Id of the ${noun} (\`svc_…\`).` }) id: string,
      @Ctx() { services }: ServicesContext,
    ): Promise<T | null> {
      const service = await services.find(id, product.type);
      return service && new Detail(service);
    }

    @Query(() => DetailPage, { name: many, description: `List ${noun}s, newest first.` })
    @Requires('services:read', { scope: 'account' })
    async many(
      @Arg('filter', () => ServiceFilter, { nullable: true }) filter: ServiceFilter | undefined,
      @Arg('sort', () => [ServiceSort], { nullable: true }) sort: SortBy[] | undefined,
      @Arg('page', () => PageInput, { nullable: true }) page: PageInput | undefined,
      @Ctx() { services }: ServicesContext,
    ): Promise<Page<T>> {
      const found = await services.list({ ...filter, type: [product.type] }, sort ?? [], page ?? {});
      return { ...found, nodes: found.nodes.map((service) => new Detail(service)) };
    }

    // without a permission of its own, because the response to an order contains it, and services:create is enough to order
    @FieldResolver(() => [ServiceChange], { description: 'Changes that have not ended, newest first.' })
    pendingChanges(@Root() { id }: ProductRecord, @Ctx() context: ServicesContext): Promise<ServiceChange[]> {
      return context.pendingChangesOf(id);
    }
  }
  return ProductResolver as never;
}

@Resolver(() => Service)
export class ServiceDetailResolver {
  @FieldResolver(() => ServiceDetail, { description: 'The service with the fields of its kind.' })
  detail(@Root() service: Service): ProductRecord {
    return detailOf(service);
  }
}
