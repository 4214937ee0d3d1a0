import type { EntityManager } from '../../../kernel/database/database.ts';
import { Decimal } from '../../../kernel/values/money.ts';

/**
 * The accounts of the ledger. `receivable` is the money that customers owe, `credit` is the money that the organization owes to customers,
 * and `cash:…` is the money at a payment processor. Three accounts are expenses. `goodwill` is credit that nobody paid for. `writeoff` is
 * the unpaid amount of written-off invoices. `losses` is money that a payment processor took back and that no customer must pay.
 */
export type LedgerAccount = 'receivable' | 'revenue' | 'tax' | 'credit' | 'goodwill' | 'writeoff' | 'losses' | `cash:${string}`;

/** A movement of money from one ledger account to another. */
export interface Transfer {
  organizationId: string;
  accountId: string;
  currency: string;
  /** Id of the record that causes the transfer. The ledger has at most one transfer for each `source` and `kind`. */
  source: string;
  kind: string;
  invoiceId: string | null;
  debit: LedgerAccount;
  credit: LedgerAccount;
  amount: Decimal;
  at: Date;
}

/**
 * Posts a transfer, and updates the balances of the account, in the transaction of the record that causes it. A transfer with the amount 0
 * is not posted. New invoices are posted by a trigger instead.
 */
export async function post(tx: EntityManager, transfer: Transfer): Promise<void> {
  const { organizationId, source, kind, accountId, invoiceId, currency, debit, credit, amount, at } = transfer;
  if (amount.isZero()) return;
  await tx.flush();
  await tx.execute(`select "billing"."post"(?, ?, ?, ?, ?, ?, ?, ?, ?::numeric, ?::timestamptz)`, [
    ...[organizationId, source, kind, accountId, invoiceId, currency, debit, credit, amount.toFixed(4), at.toISOString()],
  ]);
}

/** Returns the amount of a transfer. Null if the ledger does not contain the transfer. */
export async function transferOf(tx: EntityManager, organizationId: string, source: string, kind: string): Promise<Decimal | null> {
  await tx.flush();
  const [row] = await tx.execute<{ amount: string }[]>(
    `select "amount"::text from "billing"."ledger_transfer" where "organization_id" = ? and "source" = ? and "kind" = ?`,
    [organizationId, source, kind],
  );
  return row ? new Decimal(row.amount) : null;
}

/** Returns true if a record has caused any transfer. */
export async function isPosted(tx: EntityManager, organizationId: string, source: string): Promise<boolean> {
  await tx.flush();
  const found = await tx.execute<object[]>(
    `select 1 from "billing"."ledger_transfer" where "organization_id" = ? and "source" = ? limit 1`,
    [organizationId, source],
  );
  return found.length > 0;
}

interface PostedRow {
  kind: string;
  account_id: string;
  invoice_id: string | null;
  currency: string;
  debit: LedgerAccount;
  credit: LedgerAccount;
  amount: string;
}

/**
 * Posts the opposite of all transfers that a record has caused, because the recorded payment or refund failed after all. The kinds of the
 * new transfers end with `_reversed`. Returns the amount of each reversed transfer, by its kind.
 */
export async function reverse(tx: EntityManager, organizationId: string, source: string, at: Date): Promise<Map<string, Decimal>> {
  await tx.flush();
  const posted = await tx.execute<PostedRow[]>(
    `select "kind", "account_id", "invoice_id", "currency", "debit", "credit", "amount"::text from "billing"."ledger_transfer"
     where "organization_id" = ? and "source" = ? order by "kind"`,
    [organizationId, source],
  );
  for (const { account_id: accountId, invoice_id: invoiceId, kind, currency, debit, credit, amount } of posted)
    await post(tx, {
      ...{ organizationId, accountId, currency, source, invoiceId, at },
      ...{ kind: `${kind}_reversed`, debit: credit, credit: debit, amount: new Decimal(amount) },
    });
  return new Map(posted.map(({ kind, amount }) => [kind, new Decimal(amount)]));
}
