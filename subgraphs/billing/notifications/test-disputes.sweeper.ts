import type { EntityManager } from '../../../kernel/database/database.ts';
import type { Ports } from '../../../kernel/domain.ts';
import { dueSweeper, type Sweeper } from '../../../kernel/records/due.ts';
import { Decimal } from '../../../kernel/values/money.ts';
import { Payment } from '../payments/payment.entity.ts';
import type { DisputeState } from '../processors/payment-processor.ts';
import { PREFIX } from '../processors/test-processor.ts';
import { DELAY_MS, testToken } from '../processors/test-tokens.ts';
import { applyNotice } from './processor-notices.ts';

const DUE = {
  name: 'billing.test_disputes',
  table: 'billing.test_processor_charge',
  column: 'dispute_due_at',
  postponeMs: 60_000,
} as const;

interface ChargeRow {
  organization_id: string;
  method: string;
  amount: string;
  currency: string;
  dispute_state: DisputeState | null;
}

/**
 * Reports the disputes of the test processor to the platform, because this processor has no server that could call a
 * webhook. Each dispute is opened, and later won or lost, according to the card token of the payment.
 */
export const testDisputeSweeper = (ports: Ports): Sweeper =>
  dueSweeper({ ...ports, waits: ports.isClosed }, DUE, async (tx, id, now) => {
    const [charge] = await tx.execute<ChargeRow[]>(
      `select "organization_id", "method", "amount"::text, "currency", "dispute_state" from "billing"."test_processor_charge" where "id" = ?`,
      [id],
    );
    if (!charge) return;
    const state = charge.dispute_state === null ? 'open' : (testToken(charge.method)?.disputes ?? 'lost');
    const nextAt = state === 'open' ? new Date(now.getTime() + DELAY_MS) : null;
    await tx.execute(`update "billing"."test_processor_charge" set "dispute_state" = ?, "dispute_due_at" = ? where "id" = ?`, [
      state,
      nextAt,
      id,
    ]);
    await report(tx, id, charge, state, now);
  });

async function report(tx: EntityManager, id: string, { amount, currency }: ChargeRow, state: DisputeState, now: Date): Promise<void> {
  const payment = await tx.findOne(Payment, { id });
  if (!payment) return;
  await applyNotice(
    tx,
    id,
    {
      ...{ kind: 'dispute', reference: `${PREFIX}dp_${id}`, charge: `${PREFIX}${id}`, amount: new Decimal(amount), currency },
      ...{ reason: 'fraudulent', state },
    },
    now,
  );
}
