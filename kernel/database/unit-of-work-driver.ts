import type { EntityDictionary, EntityName, FilterQuery, NativeInsertUpdateOptions, QueryResult } from '@mikro-orm/core';
import { PostgreSqlDriver } from '@mikro-orm/postgresql';
import { withoutResult } from './transactions.ts';

/**
 * The driver of the ORM. When the unit of work writes its changes, it does not need the number of updated rows, because
 * entities have no version property (kernel/records/revision.ts). The update of one record is therefore held back.
 */
export class UnitOfWorkDriver extends PostgreSqlDriver {
  override nativeUpdate<T extends object>(
    entity: EntityName<T>,
    where: FilterQuery<T>,
    data: EntityDictionary<T>,
    options?: NativeInsertUpdateOptions<T>,
  ): Promise<QueryResult<T>> {
    const update = () => super.nativeUpdate(entity, where, data, options);
    return isOfUnitOfWork(options) ? withoutResult(update) : update();
  }
}

/**
 * Returns true if an update comes from the unit of work, which has already converted the values of custom types. Other updates let the
 * driver convert them.
 */
const isOfUnitOfWork = (options: { convertCustomTypes?: boolean; upsert?: boolean } | undefined): boolean =>
  options?.convertCustomTypes === false && !options.upsert;
