import type { EntityManager } from '../../../kernel/database/database.ts';
import type { Decimal } from '../../../kernel/values/money.ts';

/**
 * The accounts of the ledger. `receivable` is what customers owe, `credit` is what the organization owes to customers, and
 * `cash:…` is the money at a payment processor. `goodwill` and `writeoff` are expenses: credit that nobody paid for, and invoices
 * that nobody will pay.
 */
export type LedgerAccount = 'receivable' | 'revenue' | 'tax' | 'credit' | 'goodwill' | 'writeoff' | `cash:${string}`;

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
