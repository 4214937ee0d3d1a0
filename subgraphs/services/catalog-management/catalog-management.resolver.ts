import { Arg, Ctx, ID, Mutation, Query, Resolver } from 'type-graphql';
import { NEWEST_FIRST, type Page, PageInput, pageOf, type SortBy } from '../../../kernel/graphql/page.ts';
import { Requires } from '../../../kernel/graphql/requires.ts';
import { ExpectedRevision } from '../../../kernel/records/revision.ts';
import { CatalogCategory, CatalogService } from '../catalog/catalog.types.ts';
import type { ServicesContext } from '../context.ts';
import {
  CatalogCategoryCreateInput,
  CatalogCategoryUpdateInput,
  CatalogPriceChangeFilter,
  CatalogPriceChangeSort,
  CatalogServiceCreateInput,
  CatalogServiceUpdateInput,
} from './catalog-management.inputs.ts';
import { CatalogPriceChange } from './catalog-price-change.entity.ts';

const CatalogPriceChangePage = pageOf('CatalogPriceChange', CatalogPriceChange);

/** Operations of the platform's operator on the catalog. */
@Resolver()
export class CatalogManagementResolver {
  @Query(() => [CatalogService], {
    description: 'List all services of the catalog, including retired services, sorted by category. For the operator of the platform.',
  })
  @Requires('platform:read', { scope: 'organization' })
  catalogServices(@Ctx() { catalog }: ServicesContext): Promise<CatalogService[]> {
    return catalog.all();
  }

  @Query(() => CatalogPriceChangePage, {
    description: 'List the changes of prices in the catalog, newest first. For the operator of the platform.',
  })
  @Requires('platform:read', { scope: 'organization' })
  catalogPriceChanges(
    @Arg('filter', () => CatalogPriceChangeFilter, { nullable: true }) filter: CatalogPriceChangeFilter | undefined,
    @Arg('sort', () => [CatalogPriceChangeSort], { nullable: true }) sort: SortBy[] | undefined,
    @Arg('page', () => PageInput, { nullable: true }) page: PageInput | undefined,
    @Ctx() { catalogPrices }: ServicesContext,
  ): Promise<Page<CatalogPriceChange>> {
    return catalogPrices.list(filter ?? {}, sort?.length ? sort : NEWEST_FIRST, page ?? {});
  }

  @Mutation(() => CatalogService, { description: 'Add a service to the catalog. For the operator of the platform.' })
  @Requires('platform:admin', { scope: 'organization', secondFactor: true })
  createCatalogService(
    @Arg('input', () => CatalogServiceCreateInput, { description: 'Service to create.' }) input: CatalogServiceCreateInput,
    @Ctx() { catalogManagement }: ServicesContext,
  ): Promise<CatalogService> {
    return catalogManagement.create(input);
  }

  @Mutation(() => CatalogService, {
    description:
      'Change a service of the catalog. A list replaces the present list. Ordered services keep their price and their options. Every change of a price is stored. For the operator of the platform.',
  })
  @Requires('platform:admin', { scope: 'organization', secondFactor: true })
  updateCatalogService(
    @Arg('id', () => ID, { description: 'Id of the catalog service, such as `business_fiber`.' }) id: string,
    @Arg('input', () => CatalogServiceUpdateInput, { description: 'New values. Omit a field to keep its value.' })
    input: CatalogServiceUpdateInput,
    @ExpectedRevision() expectedRevision: number | undefined,
    @Ctx() { catalogManagement }: ServicesContext,
  ): Promise<CatalogService> {
    return catalogManagement.update(id, input, expectedRevision);
  }

  @Mutation(() => CatalogService, {
    description:
      'Take a service out of the catalog. It can no longer be ordered; ordered services continue. For the operator of the platform.',
  })
  @Requires('platform:admin', { scope: 'organization', secondFactor: true })
  retireCatalogService(
    @Arg('id', () => ID, { description: 'Id of the catalog service.' }) id: string,
    @ExpectedRevision() expectedRevision: number | undefined,
    @Ctx() { catalogManagement }: ServicesContext,
  ): Promise<CatalogService> {
    return catalogManagement.retire(id, expectedRevision);
  }

  @Mutation(() => CatalogService, {
    description:
      'Return a retired service to the catalog. Fails with DUPLICATE_RESOURCE if another service has its service type now. For the operator of the platform.',
  })
  @Requires('platform:admin', { scope: 'organization', secondFactor: true })
  restoreCatalogService(
    @Arg('id', () => ID, { description: 'Id of the catalog service.' }) id: string,
    @ExpectedRevision() expectedRevision: number | undefined,
    @Ctx() { catalogManagement }: ServicesContext,
  ): Promise<CatalogService> {
    return catalogManagement.restore(id, expectedRevision);
  }

  @Mutation(() => CatalogCategory, { description: 'Add a category to the catalog. For the operator of the platform.' })
  @Requires('platform:admin', { scope: 'organization', secondFactor: true })
  createCatalogCategory(
    @Arg('input', () => CatalogCategoryCreateInput, { description: 'Category to create.' }) input: CatalogCategoryCreateInput,
    @Ctx() { catalog, catalogCategories }: ServicesContext,
  ): Promise<CatalogCategory> {
    return catalogCategories.create(input).then((row) => catalog.withServices(row));
  }

  @Mutation(() => CatalogCategory, { description: 'Change a category of the catalog. For the operator of the platform.' })
  @Requires('platform:admin', { scope: 'organization', secondFactor: true })
  updateCatalogCategory(
    @Arg('name', () => String, { description: 'Identifier of the category.' }) name: string,
    @Arg('input', () => CatalogCategoryUpdateInput, { description: 'New values. Omit a field to keep its value.' })
    input: CatalogCategoryUpdateInput,
    @Ctx() { catalog, catalogCategories }: ServicesContext,
  ): Promise<CatalogCategory> {
    return catalogCategories.update(name, input).then((row) => catalog.withServices(row));
  }

  @Mutation(() => CatalogCategory, {
    description:
      'Delete a category without services. Fails with SERVICE_CONFLICT if the category has services, including retired services. For the operator of the platform.',
  })
  @Requires('platform:admin', { scope: 'organization', secondFactor: true })
  deleteCatalogCategory(
    @Arg('name', () => String, { description: 'Identifier of the category.' }) name: string,
    @Ctx() { catalog, catalogCategories }: ServicesContext,
  ): Promise<CatalogCategory> {
    return catalogCategories.delete(name).then((row) => catalog.withServices(row));
  }
}
