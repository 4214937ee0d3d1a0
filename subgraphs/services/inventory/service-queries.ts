import type { FilterQuery } from '@mikro-orm/core';
import type { EntityManager } from '../../../kernel/database/database.ts';
import { NEWEST_FIRST, type Page, type PageInput, type SortBy } from '../../../kernel/graphql/page.ts';
import type { RecordLoader } from '../../../kernel/records/loaders.ts';
import { listPage } from '../../../kernel/records/pagination.ts';
import { between, containing, matching } from '../../../kernel/records/where.ts';
import { Service } from './service.entity.ts';
import { type ServiceFilter, ServiceSearchField } from './service.inputs.ts';
import type { ServiceType } from './service.states.ts';

const LOCATION_FIELDS = ['address', 'city', 'state', 'zip'];

/** Finds and lists services of all types that the caller's organization has. */
export class ServiceQueries {
  constructor(
    private readonly em: EntityManager,
    private readonly loader: RecordLoader<Service>,
  ) {}

  /** Returns a service. Returns null if the organization does not have it, or if it is not of the given type. */
  async find(id: string, type?: ServiceType | null): Promise<Service | null> {
    const service = await this.loader.load(id);
    return service && type && service.type !== type ? null : service;
  }

  list(filter: ServiceFilter, sort: SortBy[], page: PageInput): Promise<Page<Service>> {
    return listPage(this.em, Service, { where: whereOf(filter), sort, page, defaultSort: NEWEST_FIRST });
  }
}

function whereOf({ location, search, fields, dateFrom, dateTo, ...lists }: ServiceFilter): FilterQuery<Service> {
  const searched = fields?.length ? fields : Object.values(ServiceSearchField);
  const texts = [...(location ? [anyOf([ServiceSearchField.LOCATION], location)] : []), ...(search ? [anyOf(searched, search)] : [])];
  return matching<Service>({ ...lists, createdAt: between(dateFrom, dateTo), $and: texts.length > 0 ? texts : undefined });
}

/** Returns the condition that at least one of the fields contains the text. */
function anyOf(fields: readonly ServiceSearchField[], text: string): object {
  const $or = fields.flatMap((field): object[] =>
    field === ServiceSearchField.LOCATION
      ? LOCATION_FIELDS.map((member) => ({ location: { [member]: containing(text) } }))
      : [{ [field]: containing(text) }],
  );
  return { $or };
}
