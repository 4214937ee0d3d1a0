import 'reflect-metadata';
import { type Dictionary, type EntityClass, raw } from '@mikro-orm/core';
import { Filter } from '@mikro-orm/decorators/legacy';
import { type AccountPath, accountCondition, declareAccount } from '../access/account-path.ts';
import type { Accounts, RecordScope } from '../access/principal.ts';
import type { EntityManager, Orm } from '../database/database.ts';

/**
 * Declares the filter that limits queries for an entity to one organization and to the accounts that the caller sees.
 * The filter applies unless a query disables it.
 * `account` is the path from the record to its account. Records of an entity without `account` belong to the whole
 * organization. Fields that return such records must declare the scope `organization` or `open` (`@Requires`).
 */
export const OrganizationFilter =
  ({ account }: { account?: AccountPath } = {}): ClassDecorator =>
  (entity) => {
    if (account) declareAccount(entity, account);
    const cond = ({ id, accounts }: Dictionary, _: unknown, em: EntityManager): Dictionary =>
      account && accounts
        ? { organizationId: id as string, ...within(em, entity as never, account, accounts as string[]) }
        : { organizationId: id as string };
    Filter({ name: 'organization', cond: cond as never, default: true })(entity);
  };

/** Returns the condition that limits records to accounts. */
function within(em: EntityManager, entity: EntityClass<object>, account: AccountPath, accounts: readonly string[]): Dictionary {
  if (typeof account === 'string') return { [account]: { $in: [...accounts] } };
  const { schema = '' } = em.config.getAll();
  const condition = (alias: string): string => accountCondition(em.getMetadata(), schema, entity, `"${alias}"`, '?::text[]');
  return { [raw(condition, [`{${accounts.map((id) => JSON.stringify(id)).join()}}`]) as never]: [] };
}

/**
 * Options of a query for records of all organizations. Background work uses it if the organization is not known yet.
 */
export const EVERYWHERE = { filters: { organization: false } } as const;

/**
 * Creates an entity manager that is limited to the records of one organization. If `scope` is a RecordScope, it is also
 * limited to the accounts in `scope`.
 */
export function organizationEm(orm: Orm, scope: string | RecordScope): EntityManager {
  const { organizationId, accounts }: { organizationId: string; accounts: Accounts } =
    typeof scope === 'string' ? { organizationId: scope, accounts: null } : scope;
  const em = orm.em.fork();
  em.setFilterParams('organization', { id: organizationId, accounts });
  return em;
}

/** Returns the id of the organization to which an entity manager is limited (`organizationEm`). It must see all accounts of the organization. */
export function organizationOf(em: EntityManager): string {
  const { id, accounts } = em.getFilterParams<{ id?: string; accounts?: Accounts }>('organization') ?? {};
  if (!id || accounts) throw new Error('The entity manager must be limited to one organization, and see all of its accounts.');
  return id;
}
