import type { Accounts, Principal } from '../../../kernel/access/principal.ts';
import { LimitedToAccounts } from '../../../kernel/errors/errors.ts';
import type { RecordLoader } from '../../../kernel/records/loaders.ts';
import { orNotFound } from '../../../kernel/records/records.ts';
import type { Account } from './account.entity.ts';

/** Checks the accounts that a caller wants to limit a user or credentials to. Nobody can grant access to accounts they cannot see. */
export class AccountScopes {
  constructor(
    private readonly principal: Principal,
    private readonly accounts: RecordLoader<Account>,
  ) {}

  /**
   * Returns the accounts to grant. If none are given, these are the accounts that the caller sees.
   * @throws ResourceNotFound for an account that the caller does not see; LimitedToAccounts if a limited caller asks for null (all
   * accounts)
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

  /** Does the same for an update. Returns undefined, meaning no change, if no accounts are given. @throws as `grant` does */
  async change(stated: Accounts | undefined): Promise<string[] | null | undefined> {
    return stated === undefined ? undefined : this.grant(stated);
  }

  /** Refuses to change a record that sees more accounts than the caller does. @throws LimitedToAccounts */
  requireOver(accounts: Accounts): void {
    if (!this.principal.seesAllOf(accounts)) throw new LimitedToAccounts();
  }
}
