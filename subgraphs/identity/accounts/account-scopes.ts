import type { Accounts, Principal } from '../../../kernel/access/principal.ts';
import { LimitedToAccounts } from '../../../kernel/errors/errors.ts';
import type { RecordLoader } from '../../../kernel/records/loaders.ts';
import { orNotFound } from '../../../kernel/records/records.ts';
import type { Account } from './account.entity.ts';

/**
 * Checks the accounts that a caller wants to grant to a user or to credentials. Callers can grant access only to
 * accounts that they have access to themselves.
 */
export class AccountScopes {
  constructor(
    private readonly principal: Principal,
    private readonly accounts: RecordLoader<Account>,
  ) {}

  /**
   * Returns the accounts to grant. If `stated` is undefined, returns the accounts that the caller has access to.
   * @throws ResourceNotFound for an account that the caller may not access; LimitedToAccounts if `stated` is null (all accounts) and the
   * caller has access to only some accounts
   */
  async grant(stated: Accounts | undefined): Promise<string[] | null> {
    const wanted = stated === undefined ? this.principal.accounts : stated;
    if (wanted === null) {
      this.principal.requireOrganization();
      return null;
    }
    const ids = [...new Set(wanted)];
    const found = await Promise.all(ids.map((id) => this.accounts.load(id)));
    found.forEach((account, at) => void orNotFound(account, 'account', ids[at] ?? ''));
    return ids;
  }

  /**
   * Returns the accounts to grant in an update. Returns undefined if `stated` is undefined, so that the update keeps the current accounts.
   * @throws the same errors as `grant`
   */
  async change(stated: Accounts | undefined): Promise<string[] | null | undefined> {
    return stated === undefined ? undefined : this.grant(stated);
  }

  /**
   * Checks that the caller has access to all of `accounts`. These are the accounts of a user or of credentials that the
   * caller wants to change.
   * @throws LimitedToAccounts
   */
  requireOver(accounts: Accounts): void {
    if (!this.principal.seesAllOf(accounts)) throw new LimitedToAccounts();
  }
}
