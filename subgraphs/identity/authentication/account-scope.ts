import { InvalidCredentials } from '../../../kernel/access/credentials.ts';
import type { Accounts } from '../../../kernel/access/principal.ts';
import type { Rows } from '../../../kernel/database/database.ts';

/** Finds an account that is not closed, by the organization's id and a list of accounts. */
export const OPEN_ACCOUNT = `select 1 from "identity"."account" where "organization_id" = $1 and "id" = any($2::text[]) and "status" <> 'closed' limit 1`;

/**
 * Refuses credentials whose accounts are all closed or deleted. Accepts credentials that are not limited to accounts.
 * @throws InvalidCredentials
 */
export async function requireOpenAccount(rows: Rows, organizationId: string, accounts: Accounts): Promise<void> {
  if (accounts === null || accounts.length === 0) return;
  const [open] = await rows.query(OPEN_ACCOUNT, [organizationId, accounts]);
  if (!open) throw new InvalidCredentials('All accounts that these credentials are limited to are closed.', 'accounts are closed');
}
