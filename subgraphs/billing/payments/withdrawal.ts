import type { EntityManager } from '../../../kernel/database/database.ts';
import { Decimal } from '../../../kernel/values/money.ts';
import { post } from '../ledger/ledger.ts';
import type { Payment } from './payment.entity.ts';

/** Money of a payment that the processor has paid out, for a payment that does not pay an invoice or no longer pays it. */
export interface Withdrawal {
  payment: Payment;
  /** Id of the record that causes the withdrawal. */
  source: string;
  /** Prefix of the kinds of the ledger transfers, such as `dispute`. */
  kind: string;
  amount: Decimal;
}

/**
 * Posts money that the processor has paid out and that exceeds the part of the payment that pays its invoice. If the payment became credit
 * of the account, because it succeeded too late, the unused part of this credit is taken back. The remaining money is a loss of the
 * organization. The transaction must have locked the payment.
 */
export async function postWithdrawal(tx: EntityManager, { payment, source, kind, amount }: Withdrawal, at: Date): Promise<void> {
  if (amount.isZero()) return;
  const { organizationId, accountId, currency, invoiceId, processor } = payment;
  const credit = Decimal.min(amount, await creditLeft(tx, payment));
  const transfer = { organizationId, accountId, currency, source, invoiceId, credit: `cash:${processor}` as const, at };
  await post(tx, { ...transfer, kind: `${kind}_credit`, debit: 'credit', amount: credit });
  await post(tx, { ...transfer, kind: `${kind}_loss`, debit: 'losses', amount: amount.minus(credit) });
}

/**
 * Returns the unused part of the credit that a payment became, because the payment succeeded too late, or because a dispute was won after
 * the invoice was paid in another way. Locks the balance of the account.
 */
async function creditLeft(tx: EntityManager, { organizationId, id, accountId, currency }: Payment): Promise<Decimal> {
  await tx.flush();
  const [given] = await tx.execute<{ credit: string }[]>(
    `select coalesce(sum(case when "credit" = 'credit' then "amount" else -"amount" end), 0)::text as "credit"
     from "billing"."ledger_transfer" where "organization_id" = ? and 'credit' in ("debit", "credit") and "source" in (
       select ?::text union all select "id" from "billing"."dispute" where "organization_id" = ? and "payment_id" = ?
       union all select "id" from "billing"."refund" where "organization_id" = ? and "payment_id" = ?)`,
    [organizationId, id, organizationId, id, organizationId, id],
  );
  const became = new Decimal(given?.credit ?? 0);
  if (!became.greaterThan(0)) return new Decimal(0);
  const [balance] = await tx.execute<{ credit: string }[]>(
    `select "credit"::text from "billing"."account_balance" where "organization_id" = ? and "account_id" = ? and "currency" = ? for update`,
    [organizationId, accountId, currency],
  );
  return Decimal.min(became, balance?.credit ?? 0);
}
