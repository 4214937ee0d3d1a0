import { LockMode, UniqueConstraintViolationException } from '@mikro-orm/core';
import type { EntityManager } from '../database/database.ts';
import { type PlatformError, ResourceNotFound } from '../errors/errors.ts';
import type { Resource } from '../errors/resource.ts';

/** Options of a query for a record that will be changed: other transactions that want to change it wait for this one. */
export const LOCKED = { lockMode: LockMode.PESSIMISTIC_WRITE } as const;

/** Takes an advisory lock by name until the transaction ends. Use it if there is no record to lock yet. */
export async function advisoryLock(tx: EntityManager, name: string): Promise<void> {
  await tx.execute('select pg_advisory_xact_lock(hashtextextended(?, 0))', [name]);
}

/**
 * Returns a record that was looked up.
 * @throws ResourceNotFound if the caller has no such record
 */
export function orNotFound<T>(record: T | null | undefined, resource: Resource, id: string): T {
  if (record === null || record === undefined) throw new ResourceNotFound(resource, id);
  return record;
}

/** The fields of an input that were sent, including null: `Object.assign(record, definedOnly(input))` leaves the others unchanged. */
export const definedOnly = <T extends object>(input: T): Partial<T> =>
  Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined)) as Partial<T>;

/** For `catch`: turns a violated unique constraint into the caller's error, and rethrows any other error. */
export const onDuplicate =
  (taken: () => PlatformError) =>
  (error: unknown): never => {
    throw error instanceof UniqueConstraintViolationException ? taken() : error;
  };
