import 'reflect-metadata';
import type { Dictionary } from '@mikro-orm/core';
import { Filter } from '@mikro-orm/decorators/legacy';
import type { EntityManager, Orm } from '../database/database.ts';

/** The filter that scopes every query to one organization; on unless a query says otherwise. */
export const OrganizationFilter = (): ClassDecorator =>
  Filter({
    name: 'organization',
    cond: (args: Dictionary) => ({ organizationId: args.id as string }) as never,
    default: true,
  }) as ClassDecorator;

/** Options of a query over the records of all organizations: for what the platform looks for by itself, before it knows whose it is. */
export const EVERYWHERE = { filters: { organization: false } } as const;

/** An entity manager that sees one organization's records and no others. */
export function organizationEm(orm: Orm, organizationId: string): EntityManager {
  const em = orm.em.fork();
  em.setFilterParams('organization', { id: organizationId });
  return em;
}
