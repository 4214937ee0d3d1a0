import type { EntityManager } from '../../../kernel/database/database.ts';
import { Decimal } from '../../../kernel/values/money.ts';

/** An account and a currency. Each currency has its own balance. */
export interface BalanceKey {
  organizationId: string;
  accountId: string;
  currency: string;
}

/**
 * Locks the balance of an account until the transaction ends, and returns the credit of the account. Transactions lock in this order:
 * invoices, payments, refunds, number counters, and balances in the order of their accounts.
 */
export async function lockCredit(tx: EntityManager, balance: BalanceKey): Promise<Decimal> {
  return (await lockCredits(tx, [balance])).of(balance);
}

/** Locks several balances of an organization with one statement, as `lockCredit` does. */
export async function lockCredits(tx: EntityManager, balances: readonly BalanceKey[]): Promise<{ of(balance: BalanceKey): Decimal }> {
  await tx.flush();
  const keyOf = ({ accountId, currency }: BalanceKey): string => `${accountId} ${currency}`;
  const unique = new Map(balances.map((balance) => [keyOf(balance), balance]));
  const rows = [...unique.values()].map(({ organizationId, accountId, currency }) => ({
    ...{ organization_id: organizationId, account_id: accountId, currency },
  }));
  const found = await tx.execute<{ account_id: string; currency: string; credit: string }[]>(
    `insert into "billing"."account_balance" as b ("organization_id", "account_id", "currency")
     select * from json_to_recordset(?::json) as k("organization_id" text, "account_id" text, "currency" text) order by 1, 2, 3
     on conflict ("organization_id", "account_id", "currency") do update set "credit" = b."credit"
     returning b."account_id", b."currency", b."credit"::text as "credit"`,
    [JSON.stringify(rows)],
  );
  const credits = new Map(found.map(({ account_id: accountId, currency, credit }) => [`${accountId} ${currency}`, new Decimal(credit)]));
  return { of: (balance) => credits.get(keyOf(balance)) ?? new Decimal(0) };
}
