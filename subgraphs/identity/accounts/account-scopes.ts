import type { Accounts, Principal } from '../../../kernel/access/principal.ts';
import { LimitedToAccounts } from '../../../kernel/errors/errors.ts';
import type { RecordLoader } from '../../../kernel/records/loaders.ts';
import { orNotFound } from '../../../kernel/records/records.ts';
import type { Account } from './account.entity.ts';

/** The accounts that users, keys and the like are limited to, as callers state them. Nobody hands on more than they see. */
export class AccountScopes {
  constructor(
    private readonly principal: Principal,
    private readonly accounts: RecordLoader<Account>,
  ) {}

  /**
   * What is stated; where nothing is, what the caller sees.
   * @throws ResourceNotFound for an account that the caller does not see; LimitedToAccounts for null of a caller who is limited
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

  /** The same for a change, which leaves the accounts as they are where it states nothing. @throws as `grant` does */
  async change(stated: Accounts | undefined): Promise<string[] | null | undefined> {
    return stated === undefined ? undefined : this.grant(stated);
  }

  /** Of who sees more than the caller nothing is changed. @throws LimitedToAccounts */
  requireOver(accounts: Accounts): void {
    if (!this.principal.seesAllOf(accounts)) throw new LimitedToAccounts();
  }
}
