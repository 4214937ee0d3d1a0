import type { Principal } from '../../../kernel/access/principal.ts';
import type { PlatformError } from '../../../kernel/errors/errors.ts';
import { InvalidParameters } from '../../../kernel/errors/errors.ts';
import { newId } from '../../../kernel/records/ids.ts';
import { Bulk } from './bulk.entity.ts';
import type { BulkKind } from './bulk.states.ts';
import { type BulkItemError, countsOf } from './bulk.values.ts';
import { BulkItem } from './bulk-item.entity.ts';

/**
 * Creates a bulk with `size` items.
 * @throws InvalidParameters if the caller is limited to accounts and the bulk concerns several accounts
 */
export function newBulk(principal: Principal, kind: BulkKind, accounts: readonly string[], size: number, now: Date): [Bulk, BulkItem[]] {
  const { organizationId, id: requestedBy } = principal;
  const id = newId('bulk');
  const items = Array.from({ length: size }, (_, position) =>
    Object.assign(new BulkItem(), { id: `${id}/${position}`, organizationId, bulkId: id, position }),
  );
  const known = { id, organizationId, accountId: accountOf(principal, accounts), kind, requestedBy, counts: countsOf(items) };
  return [Object.assign(new Bulk(), known, { createdAt: now, updatedAt: now }), items];
}

/**
 * Returns the account of all services in a bulk. Null if the bulk concerns several accounts; only callers who see all accounts can see it.
 */
function accountOf({ accounts }: Principal, [first, ...others]: readonly string[]): string | null {
  const isOne = first !== undefined && others.every((other) => other === first);
  if (isOne) return first;
  if (accounts === null) return null;
  if (first !== undefined)
    throw new InvalidParameters([{ field: 'services', reason: 'must belong to one account, because your access is limited to accounts' }]);
  return accounts[0] ?? null;
}

/** Converts the error of an operation to the error of a bulk item. */
export const itemErrorOf = ({ code, message, details }: PlatformError): BulkItemError => ({ code, message, details });
