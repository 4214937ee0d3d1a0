import type { EntityManager } from '../../../kernel/database/database.ts';
import { advisoryLock, executeUnread } from '../../../kernel/records/records.ts';

/** Name of the advisory lock that a transaction acquires before it changes the subscriptions of an account. */
const lockOf = (organizationId: string, accountId: string): string => `billing.subscriptions ${organizationId} ${accountId}`;

/** Acquires the lock for changes of the subscriptions of an account. Waits while another transaction holds it. */
export const lockAccount = (tx: EntityManager, organizationId: string, accountId: string): Promise<void> =>
  advisoryLock(tx, lockOf(organizationId, accountId));

/**
 * Acquires the locks of accounts as `lockAccount` does, in the order of their ids. On a server, the next statement waits for them
 * (`executeUnread`).
 */
export async function lockAccounts(tx: EntityManager, organizationId: string, accountIds: readonly string[]): Promise<void> {
  await executeUnread(tx, 'select pg_advisory_xact_lock(hashtextextended(? || id, 0)) from unnest(?::text[]) id', [
    lockOf(organizationId, ''),
    sortedIds(accountIds),
  ]);
}

/** Acquires the locks of accounts that no other transaction holds. Returns the ids of these accounts. */
export async function tryLockAccounts(tx: EntityManager, organizationId: string, accountIds: readonly string[]): Promise<Set<string>> {
  const rows = await tx.execute<{ id: string }[]>(
    `select a.id from unnest(?::text[]) with ordinality as a (id, n)
     where pg_try_advisory_xact_lock(hashtextextended(? || a.id, 0)) order by a.n`,
    [sortedIds(accountIds), lockOf(organizationId, '')],
  );
  return new Set(rows.map(({ id }) => id));
}

/** Returns ids as a text array of PostgreSQL, sorted and without repetitions. */
const sortedIds = (ids: readonly string[]): string =>
  `{${[...new Set(ids)]
    .sort()
    .map((id) => JSON.stringify(id))
    .join()}}`;
