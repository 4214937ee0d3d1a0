import type { EntityManager } from '../../../kernel/database/database.ts';
import { Decimal } from '../../../kernel/values/money.ts';

/** An account and a currency. Each currency has its own balance. */
export interface BalanceKey {
  organizationId: string;
  accountId: string;
  currency: string;
}

/**
 * Locks the balance of an account until the transaction ends, and returns its credit. Transactions lock in this order: invoices,
 * payments, refunds, the counters of numbers, then balances in the order of their accounts.
 */
export async function lockCredit(tx: EntityManager, { organizationId, accountId, currency }: BalanceKey): Promise<Decimal> {
  await tx.flush();
  const [row] = await tx.execute<{ credit: string }[]>(
    `insert into "billing"."account_balance" as b ("organization_id", "account_id", "currency") values (?, ?, ?)
     on conflict ("organization_id", "account_id", "currency") do update set "credit" = b."credit" returning b."credit"::text as "credit"`,
    [organizationId, accountId, currency],
  );
  return new Decimal(row?.credit ?? 0);
}
