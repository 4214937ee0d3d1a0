import type { EntityManager } from '../../../kernel/database/database.ts';
import { Decimal } from '../../../kernel/values/money.ts';
import { post, transferOf } from '../ledger/ledger.ts';
import type { Payment } from './payment.entity.ts';

/** Money of a payment that the processor has paid out, although it does not pay an invoice (any more). */
export interface Withdrawal {
  payment: Payment;
  /** Id of the record that causes the withdrawal. */
  source: string;
  /** Begin of the kinds of the transfers, such as `dispute`. */
  kind: string;
  amount: Decimal;
}

/**
 * Posts money that left the processor beyond what a payment pays of its invoice. If the payment had come too late and became
 * credit of the account, the credit is taken back, as far as it is still there. The organization loses the rest. The
 * transaction must have locked the payment.
 */
export async function postWithdrawal(tx: EntityManager, { payment, source, kind, amount }: Withdrawal, at: Date): Promise<void> {
  if (amount.isZero()) return;
  const { organizationId, accountId, currency, invoiceId, processor } = payment;
  const credit = Decimal.min(amount, await creditLeft(tx, payment));
  const transfer = { organizationId, accountId, currency, source, invoiceId, credit: `cash:${processor}` as const, at };
  await post(tx, { ...transfer, kind: `${kind}_credit`, debit: 'credit', amount: credit });
  await post(tx, { ...transfer, kind: `${kind}_loss`, debit: 'losses', amount: amount.minus(credit) });
}

/** Returns what the account still has of the credit that the payment became. Locks the balance. */
async function creditLeft(tx: EntityManager, { organizationId, id, accountId, currency }: Payment): Promise<Decimal> {
  const late = await transferOf(tx, organizationId, id, 'late_payment');
  if (!late) return new Decimal(0);
  const [balance] = await tx.execute<{ credit: string }[]>(
    `select "credit"::text from "billing"."account_balance" where "organization_id" = ? and "account_id" = ? and "currency" = ? for update`,
    [organizationId, accountId, currency],
  );
  return Decimal.min(late, balance?.credit ?? 0);
}
