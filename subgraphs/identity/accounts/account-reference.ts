import type { RecordLoader } from '../../../kernel/records/loaders.ts';
import type { Account } from './account.entity.ts';

/** Accounts have two keys; other subgraphs refer to them by the one that they know. Null where the organization has none such. */
export async function accountByReference(
  { id, customerId }: Record<string, string>,
  accounts: RecordLoader<Account>,
): Promise<Account | null> {
  if (id !== undefined) return accounts.load(id);
  // a customer number is one account's: the newest that has it is the only one
  const [account] = await accounts.newest('customerId', customerId ?? '', 1);
  return account ?? null;
}
