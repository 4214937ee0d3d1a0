import { LockMode, raw } from '@mikro-orm/core';
import type { EntityManager } from '../../../kernel/database/database.ts';
import type { Ports } from '../../../kernel/domain.ts';
import { dueSweeper, type Sweeper } from '../../../kernel/records/due.ts';
import type { Decimal } from '../../../kernel/values/money.ts';
import { allocate } from '../calculation/allocation.ts';
import { type BalanceKey, lockCredit } from '../ledger/account-credit.ts';
import { post } from '../ledger/ledger.ts';
import { Invoice } from './invoice.entity.ts';
import { InvoiceStatus } from './invoice.states.ts';
import { closeIfCovered } from './invoice-closing.ts';

/** Maximum number of invoices that one transaction pays with credit. The sweeper continues with the remaining invoices. */
const BATCH = 200;
const RETRY_MS = 2_000;
/** SQL for the part of an invoice that is due and not reserved. `Invoice.amountOpen` computes the same amount. */
const OPEN_AMOUNT = ['amount_paid', 'amount_reserved', 'amount_credited', 'credit_applied', 'amount_written_off']
  .map((column) => `- "${column}"`)
  .join(' ');
const IS_OPEN = `"amount" ${OPEN_AMOUNT} > 0`;

/**
 * Uses the credit of an account for its open invoices, the earliest due date first. Call it after credit was granted, and after the due
 * amount of an invoice increased. It never waits for a locked invoice, because the caller may have locked another invoice. Instead, the
 * sweeper uses the credit for the locked invoice a few seconds later.
 */
export async function applyCredit(tx: EntityManager, { organizationId, accountId, currency }: BalanceKey, now: Date): Promise<void> {
  const key = { organizationId, accountId, currency };
  const credit = await lockCredit(tx, key);
  if (!credit.greaterThan(0)) return;
  const open = await tx.find(
    Invoice,
    { accountId, currency, status: { $in: [InvoiceStatus.PENDING, InvoiceStatus.OVERDUE] }, [raw(IS_OPEN) as never]: [] },
    {
      orderBy: { dueDate: 'asc', createdAt: 'asc', id: 'asc' },
      limit: BATCH,
      lockMode: LockMode.PESSIMISTIC_PARTIAL_WRITE,
      refresh: true,
    },
  );
  const { parts, rest } = allocate(open, { amount: credit, currency });
  for (const { invoice, amount } of parts) {
    invoice.creditApplied = invoice.creditApplied.plus(amount);
    await postCredit(tx, invoice, amount, now);
    await closeIfCovered(tx, invoice, null, now);
  }
  if (rest.greaterThan(0)) await retryLater(tx, key, now);
}

/**
 * Posts credit that pays an invoice. The kind of the transfer contains the revision of the invoice, because credit can be used for an
 * invoice several times.
 */
export async function postCredit(tx: EntityManager, invoice: Invoice, amount: Decimal, now: Date): Promise<void> {
  invoice.updatedAt = now;
  await tx.flush();
  const { id, organizationId, accountId, currency, revision } = invoice;
  const transfer = { organizationId, accountId, currency, source: id, invoiceId: id, at: now };
  await post(tx, { ...transfer, kind: `credit_${revision}`, debit: 'credit', credit: 'receivable', amount });
}

/** Gives the account back the credit that was used for an invoice. */
export async function giveCreditBack(tx: EntityManager, invoice: Invoice, now: Date): Promise<void> {
  const { id, organizationId, accountId, currency, creditApplied: amount, revision } = invoice;
  invoice.creditApplied = amount.minus(amount);
  const transfer = { organizationId, accountId, currency, source: id, invoiceId: id, at: now };
  await post(tx, { ...transfer, kind: `credit_back_${revision}`, debit: 'receivable', credit: 'credit', amount });
}

/**
 * Marks the account for the sweeper if other transactions have locked open invoices, or if there are more open invoices
 * than one transaction handles.
 */
async function retryLater(tx: EntityManager, { organizationId, accountId, currency }: BalanceKey, now: Date): Promise<void> {
  await tx.execute(
    `insert into "billing"."waiting_credit" ("organization_id", "account_id", "currency", "apply_due_at")
     select ?, ?, ?, ?::timestamptz where exists (select 1 from "billing"."invoice" where "organization_id" = ? and "account_id" = ?
       and "currency" = ? and "status" in ('pending', 'overdue') and ${IS_OPEN})`,
    [organizationId, accountId, currency, new Date(now.getTime() + RETRY_MS).toISOString(), organizationId, accountId, currency],
  );
}

const DUE = { name: 'billing.credit', table: 'billing.waiting_credit', column: 'apply_due_at', postponeMs: 60_000 } as const;

/** Creates the sweeper that uses credit which could not be used when it was granted. */
export const creditSweeper = (ports: Ports): Sweeper =>
  dueSweeper(ports, DUE, async (tx, id, now) => {
    const [row] = await tx.execute<{ organization_id: string; account_id: string; currency: string }[]>(
      `delete from "billing"."waiting_credit" where "id" = ? returning "organization_id", "account_id", "currency"`,
      [id],
    );
    if (row) await applyCredit(tx, { organizationId: row.organization_id, accountId: row.account_id, currency: row.currency }, now);
  });
