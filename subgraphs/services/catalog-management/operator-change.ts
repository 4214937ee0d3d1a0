import type { Clock } from '../../../kernel/clock.ts';
import type { EntityManager } from '../../../kernel/database/database.ts';
import { record } from '../../../kernel/events/outbox.ts';
import { advisoryLock } from '../../../kernel/records/records.ts';
import type { RequestContext } from '../../../kernel/request.ts';
import { type CatalogChange, catalogChanged } from '../catalog/catalog.events.ts';

/** Dependencies of the classes with which operators change the catalog, coverage and carriers. */
export interface OperatorDeps {
  em: EntityManager;
  request: RequestContext;
  clock: Clock;
}

/** Lock for changes of the catalog, so that operators do not change it at the same time. */
export const CATALOG_LOCK = 'services.catalog';
/** Lock for changes of coverage and of carriers. They share one lock, because carriers can offer only technologies that coverage has. */
export const COVERAGE_LOCK = 'services.coverage';

/**
 * Runs a change in a transaction that holds a lock. The transaction reads every record again, because another operator
 * may have changed it.
 */
export const underLock = <T>(em: EntityManager, lock: string, change: (tx: EntityManager) => Promise<T>): Promise<T> =>
  em.transactional(
    async (tx) => {
      await advisoryLock(tx, lock);
      return change(tx);
    },
    { clear: true },
  );

/** Stores the changes of the transaction, and records the event that causes the audit record of the operator. */
export async function recordChange(tx: EntityManager, { request, clock }: OperatorDeps, change: CatalogChange): Promise<void> {
  await tx.flush();
  await record(tx, catalogChanged(change, request.principal, clock.now()));
}
