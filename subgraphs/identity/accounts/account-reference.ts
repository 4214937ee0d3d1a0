import type { RecordLoader } from '../../../kernel/records/loaders.ts';
import type { Account } from './account.entity.ts';

/**
 * Resolves a federation reference to an account by its id or its customer number. Returns null if the organization has
 * no account with this key.
 */
export async function accountByReference(
  { id, customerId }: Record<string, string>,
  accounts: RecordLoader<Account>,
): Promise<Account | null> {
  if (id !== undefined) return accounts.load(id);
  // customer numbers are unique, so at most one account is found
  const [account] = await accounts.newest('customerId', customerId ?? '', 1);
  return account ?? null;
}
