import DataLoader from 'dataloader';
import type { Rows } from '../../../kernel/database/database.ts';
import { Decimal } from '../../../kernel/values/money.ts';
import type { Balance } from './billing-account.types.ts';

interface BalanceRow {
  account_id: string;
  currency: string;
  receivable: string;
  credit: string;
  overdue: string;
}

/**
 * Loads the balances of accounts, each with one balance per currency. One statement reads the balances of all accounts that are requested
 * at the same time. It reads the stored balances of the ledger, and only the overdue invoices.
 */
export const accountBalances = (rows: Rows, organizationId: string): DataLoader<string, Balance[]> =>
  new DataLoader(async (accountIds) => {
    const found = await rows.query<BalanceRow>(
      `select b."account_id", b."currency", b."receivable"::text, b."credit"::text, coalesce(o."due", 0)::text as "overdue"
       from "billing"."account_balance" b left join (
         select "account_id", "currency", sum("amount" - "amount_paid" - "amount_credited" - "credit_applied") as "due"
         from "billing"."invoice" where "organization_id" = $1 and "account_id" = any($2) and "status" = 'overdue' group by 1, 2
       ) o on o."account_id" = b."account_id" and o."currency" = b."currency"
       where b."organization_id" = $1 and b."account_id" = any($2) order by b."currency"`,
      [organizationId, accountIds],
    );
    const byAccount = Map.groupBy(found, (row) => row.account_id);
    return accountIds.map((id) => (byAccount.get(id) ?? []).map(balanceOf));
  });

const balanceOf = ({ currency, receivable, credit, overdue }: BalanceRow): Balance => ({
  currency,
  due: new Decimal(receivable),
  overdue: new Decimal(overdue),
  credit: new Decimal(credit),
});
