import type { FilterQuery } from '@mikro-orm/core';
import type { RecordScope } from '../../../kernel/access/principal.ts';
import type { EntityManager } from '../../../kernel/database/database.ts';
import { NEWEST_FIRST, type Page, type PageInput, type SortBy } from '../../../kernel/graphql/page.ts';
import { bothOf } from '../../../kernel/lists/row-filter.ts';
import type { RecordLoader } from '../../../kernel/records/loaders.ts';
import { listPage } from '../../../kernel/records/pagination.ts';
import { between, matching } from '../../../kernel/records/where.ts';
import type { Counters } from '../../../kernel/tally/counters.ts';
import { withPriority } from './restoration-priority.ts';
import { Service } from './service.entity.ts';
import type { ServiceType } from './service.states.ts';
import { type ServiceFilter, ServiceSearchField } from './service-list.values.ts';
import type { ServiceSearch } from './service-search.ts';

/** The categories of the catalog, and the catalog services in them. */
export interface CatalogCategories {
  /**
   * Returns the ids of all catalog services in these categories.
   * @throws InvalidParameters for an unknown category
   */
  idsIn(categories: readonly string[]): Promise<string[]>;
}

export interface ServiceQueriesDeps {
  em: EntityManager;
  scope: RecordScope;
  loader: RecordLoader<Service>;
  categories: CatalogCategories;
  search: ServiceSearch;
  counters: Counters;
}

/** Finds and lists services of all types that the caller's organization has. */
export class ServiceQueries {
  constructor(private readonly deps: ServiceQueriesDeps) {}

  /** Returns a service. Returns null if the organization does not have it, or if it is not of the given type. */
  async find(id: string, type?: ServiceType | null): Promise<Service | null> {
    const service = await this.deps.loader.load(id);
    return service && type && service.type !== type ? null : service;
  }

  /** Lists services. @throws InvalidParameters for an unknown category */
  async list({ category, ...filter }: ServiceFilter, sort: SortBy[], page: PageInput): Promise<Page<Service>> {
    const { em, categories, search } = this.deps;
    const condition = { ...filter, catalogId: category ? await categories.idsIn(category) : undefined };
    const where = whereOf(search, condition);
    return listPage(em, Service, { where, sort, page, defaultSort: NEWEST_FIRST, total: this.#totalOf(condition) });
  }

  /** Returns a function that reads the number of services from the counters. Undefined if they do not count by a field of the condition. */
  #totalOf({ location, search, q, priority, dateFrom, dateTo, ...lists }: ServiceCondition): (() => Promise<number>) | undefined {
    if (location || search || q || priority) return undefined;
    const { counters, scope } = this.deps;
    const { id, status, type, serviceType, catalogId, accountId } = lists;
    const values = { id, status, type, service_type: serviceType, catalog_id: catalogId, account_id: bothOf(accountId, scope.accounts) };
    return () =>
      counters.total({ organizationId: scope.organizationId, values, createdAfter: dateFrom ?? null, createdBefore: dateTo ?? null });
  }
}

interface ServiceCondition extends Omit<ServiceFilter, 'category'> {
  catalogId: string[] | undefined;
}

function whereOf(
  texts: ServiceSearch,
  { location, search, q, fields, priority, dateFrom, dateTo, ...lists }: ServiceCondition,
): FilterQuery<Service> {
  const searched = fields?.length ? fields : Object.values(ServiceSearchField);
  const text = search ?? q;
  const $and = [
    ...(location ? [texts.anyOf([ServiceSearchField.LOCATION], location)] : []),
    ...(text ? [texts.anyOf(searched, text)] : []),
    ...(priority ? [withPriority(priority)] : []),
  ];
  return matching<Service>({ ...lists, createdAt: between(dateFrom, dateTo), $and: $and.length > 0 ? $and : undefined });
}
