import { Decimal } from '../kernel/values/money.ts';
import { rows as openRows } from './support/tables.ts';

interface TransferRow {
  account_id: string;
  currency: string;
  debit: string;
  credit: string;
  amount: string;
}

/** Sums of an organization's billing, each by account and currency, such as `acc_… USD`. Zeros are left out. */
export interface Books {
  /** What is owed: by the transfers of the ledger, by the stored balances, and by the invoices. */
  receivable: Record<'ledger' | 'balances' | 'invoices', Record<string, string>>;
  credit: Record<'ledger' | 'balances', Record<string, string>>;
}

/** Reads the books of an organization from the tables. All columns of `receivable` must be equal, and those of `credit` too. */
export async function booksOf(organizationId: string): Promise<Books> {
  const rows = await openRows();
  const transfers = await rows.query<TransferRow>(
    `select "account_id", "currency", "debit", "credit", "amount"::text from "billing"."ledger_transfer" where "organization_id" = $1`,
    [organizationId],
  );
  const balances = await rows.query<{ account_id: string; currency: string; receivable: string; credit: string }>(
    `select "account_id", "currency", "receivable"::text, "credit"::text from "billing"."account_balance" where "organization_id" = $1`,
    [organizationId],
  );
  const invoices = await rows.query<{ account_id: string; currency: string; due: string }>(
    `select "account_id", "currency", ("amount" - "amount_paid" - "amount_credited" - "credit_applied")::text as "due"
     from "billing"."invoice" where "organization_id" = $1 and "status" in ('pending', 'overdue', 'paid')`,
    [organizationId],
  );
  const sideOf = (name: string, { debit, credit, amount }: TransferRow): string =>
    debit === name ? amount : credit === name ? `-${amount}` : '0';
  return {
    receivable: {
      ledger: sums(transfers, (row) => sideOf('receivable', row)),
      balances: sums(balances, ({ receivable }) => receivable),
      invoices: sums(invoices, ({ due }) => due),
    },
    credit: {
      ledger: sums(transfers, (row) => new Decimal(sideOf('credit', row)).negated().toFixed()),
      balances: sums(balances, ({ credit }) => credit),
    },
  };
}

function sums<R extends { account_id: string; currency: string }>(rows: readonly R[], of: (row: R) => string): Record<string, string> {
  const totals: Record<string, Decimal> = {};
  for (const row of rows) {
    const key = `${row.account_id} ${row.currency}`;
    totals[key] = (totals[key] ?? new Decimal(0)).plus(of(row));
  }
  const kept = Object.entries(totals).filter(([, total]) => !total.isZero());
  return Object.fromEntries(kept.map(([key, total]): [string, string] => [key, total.toFixed()]).sort());
}
