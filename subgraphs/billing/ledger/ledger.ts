import type { EntityManager } from '../../../kernel/database/database.ts';
import { Decimal } from '../../../kernel/values/money.ts';

/**
 * The accounts of the ledger. `receivable` is what customers owe, `credit` is what the organization owes to customers, and
 * `cash:…` is the money at a payment processor. Three accounts are expenses: `goodwill` is credit that nobody paid for,
 * `writeoff` is what nobody will pay of invoices, and `losses` is money that a payment processor took back and nobody owes.
 */
export type LedgerAccount = 'receivable' | 'revenue' | 'tax' | 'credit' | 'goodwill' | 'writeoff' | 'losses' | `cash:${string}`;

/** Money that moves from one account of the ledger to another. */
export interface Transfer {
  organizationId: string;
  accountId: string;
  currency: string;
  /** The record that causes the transfer, and the kind of transfer. The ledger has at most one transfer for both. */
  source: string;
  kind: string;
  invoiceId: string | null;
  debit: LedgerAccount;
  credit: LedgerAccount;
  amount: Decimal;
  at: Date;
}

/**
 * Posts a transfer, and updates the balances of the account, in the transaction of the record that causes it. A transfer of
 * nothing is not posted. The database posts the issue of invoices itself.
 */
export async function post(tx: EntityManager, transfer: Transfer): Promise<void> {
  const { organizationId, source, kind, accountId, invoiceId, currency, debit, credit, amount, at } = transfer;
  if (amount.isZero()) return;
  await tx.flush();
  await tx.execute(`select "billing"."post"(?, ?, ?, ?, ?, ?, ?, ?, ?::numeric, ?::timestamptz)`, [
    ...[organizationId, source, kind, accountId, invoiceId, currency, debit, credit, amount.toFixed(4), at.toISOString()],
  ]);
}

/** Returns the amount of a transfer. Null if the ledger does not have it. */
export async function transferOf(tx: EntityManager, organizationId: string, source: string, kind: string): Promise<Decimal | null> {
  await tx.flush();
  const [row] = await tx.execute<{ amount: string }[]>(
    `select "amount"::text from "billing"."ledger_transfer" where "organization_id" = ? and "source" = ? and "kind" = ?`,
    [organizationId, source, kind],
  );
  return row ? new Decimal(row.amount) : null;
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
 * Posts the opposite of all transfers that a record has caused, because what it recorded did not happen. The kinds of the new
 * transfers end with `_reversed`. Returns the amounts of the reversed transfers by their kind.
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
