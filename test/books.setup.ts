import { Decimal } from '../kernel/values/money.ts';
import { rows as openRows } from './support/tables.ts';

interface TransferRow {
  account_id: string;
  currency: string;
  debit: string;
  credit: string;
  amount: string;
}

interface AmountRow {
  account_id: string;
  currency: string;
  amount: string;
}

/** Billing sums of an organization, each by account and currency, such as `acc_… USD`. Sums of zero are left out. */
export interface Books {
  /** Amounts that customers owe, according to the ledger transfers, the stored balances, and the invoices. */
  receivable: Record<'ledger' | 'balances' | 'invoices', Record<string, string>>;
  credit: Record<'ledger' | 'balances', Record<string, string>>;
  /**
   * Tax that the organization owes, according to the ledger, and according to the taxes of invoices minus the taxes of credit notes and
   * refunds.
   */
  tax: Record<'ledger' | 'documents', Record<string, string>>;
  /** Amounts that credit notes for invoices give back, according to the credit notes and according to the invoices. */
  creditNotes: Record<'documents' | 'invoices', Record<string, string>>;
}

/** Reads the billing sums of an organization from the tables. In each object, all sources must have the same sums. */
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
    `select "account_id", "currency", ("amount" - "amount_paid" - "amount_credited" - "credit_applied" - "amount_written_off")::text as "due"
     from "billing"."invoice" where "organization_id" = $1 and "status" in ('pending', 'overdue', 'paid')`,
    [organizationId],
  );
  // a cancelled invoice owes no tax, unless it was written off
  const taxes = await rows.query<AmountRow>(
    `select i."account_id", i."currency", sum(t."amount")::text as "amount" from "billing"."invoice" i
       join "billing"."invoice_tax" t on t."invoice_id" = i."id"
       where i."organization_id" = $1 and (i."status" <> 'cancelled' or i."amount_written_off" > 0 or i."amount_credited" = i."amount") group by 1, 2
     union all select "account_id", "currency", (-sum("tax"))::text from "billing"."credit_note" c where "organization_id" = $1
       and not exists (select 1 from "billing"."invoice" i where i."id" = c."invoice_id" and i."status" = 'cancelled'
         and i."amount_written_off" = 0 and i."amount_credited" < i."amount") group by 1, 2
     union all select "account_id", "currency", (-sum("tax_amount"))::text from "billing"."refund"
       where "organization_id" = $1 and "status" = 'successful' group by 1, 2`,
    [organizationId],
  );
  const notes = await rows.query<AmountRow>(
    `select "account_id", "currency", sum("amount")::text as "amount" from "billing"."credit_note"
       where "organization_id" = $1 and "invoice_id" is not null group by 1, 2`,
    [organizationId],
  );
  const credited = await rows.query<AmountRow>(
    `select "account_id", "currency", sum("amount_credited" + "amount_returned")::text as "amount" from "billing"."invoice"
       where "organization_id" = $1 group by 1, 2`,
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
    tax: {
      ledger: sums(transfers, (row) => new Decimal(sideOf('tax', row)).negated().toFixed()),
      documents: sums(taxes, ({ amount }) => amount),
    },
    creditNotes: { documents: sums(notes, ({ amount }) => amount), invoices: sums(credited, ({ amount }) => amount) },
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
