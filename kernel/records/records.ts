import { LockMode, UniqueConstraintViolationException } from '@mikro-orm/core';
import type { EntityManager } from '../database/database.ts';
import { withoutResult } from '../database/transactions.ts';
import { type PlatformError, ResourceNotFound } from '../errors/errors.ts';
import type { Resource } from '../errors/resource.ts';

/**
 * Options of a query that locks the record for a change. Other transactions that want to lock the record wait until
 * this transaction ends.
 */
export const LOCKED = { lockMode: LockMode.PESSIMISTIC_WRITE } as const;

/**
 * Executes a statement in a transaction, without waiting for its result: it is sent together with the next statement that
 * has a result, or with COMMIT, which also throw its errors (kernel/database/transactions.ts).
 */
export async function executeUnread(tx: EntityManager, sql: string, values: readonly unknown[]): Promise<void> {
  await withoutResult(() => tx.execute(sql, [...values]));
}

/** Takes an advisory lock with a name until the transaction ends. Use it if there is no record to lock yet. */
export async function advisoryLock(tx: EntityManager, name: string): Promise<void> {
  await tx.execute('select pg_advisory_xact_lock(hashtextextended(?, 0))', [name]);
}

/**
 * Returns the record if it exists.
 * @throws ResourceNotFound if the record is null or undefined
 */
export function orNotFound<T>(record: T | null | undefined, resource: Resource, id: string): T {
  if (record === null || record === undefined) throw new ResourceNotFound(resource, id);
  return record;
}

/**
 * Returns the fields of an input that were sent, including null. `Object.assign(record, definedOnly(input))` leaves all
 * other fields of the record unchanged.
 */
export const definedOnly = <T extends object>(input: T): Partial<T> =>
  Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined)) as Partial<T>;

/**
 * Creates a function for `catch`. For a violated unique constraint, the function throws the error that `taken` creates.
 * It rethrows all other errors.
 */
export const onDuplicate =
  (taken: () => PlatformError) =>
  (error: unknown): never => {
    throw error instanceof UniqueConstraintViolationException ? taken() : error;
  };
