import type { EntityManager } from '../../../kernel/database/database.ts';
import type { Decimal } from '../../../kernel/values/money.ts';
import type { Period } from '../calculation/billing-periods.ts';

/** A credit for the lines of an invoice, such as a credit note. */
export interface CreditedCost {
  organizationId: string;
  /** Id of the record that credits, such as a credit note. What it credits is deducted once. */
  source: string;
  invoiceId: string;
  lines: readonly {
    /** Position of the line on the invoice. */
    position: number;
    /** Credited amount, net of tax. At most the amount of the line together with its other credits. */
    net: Decimal;
    /** Part of the period of the line that is credited. Default: the whole period, or the day of the issue without a period. */
    period?: Period;
  }[];
  at: Date;
}

/** Deducts credits from the costs of the months that their lines billed, in the transaction of the credit. */
export async function recordCreditedCost(tx: EntityManager, { organizationId, source, invoiceId, lines, at }: CreditedCost): Promise<void> {
  await tx.flush();
  for (const { position, net, period } of lines) {
    if (net.isZero()) continue;
    await tx.execute(
      `insert into "billing"."cost_credit" ("organization_id", "source", "position", "invoice_id", "service_id", "category", "amount", "period_start", "period_end",
         "created_at")
       select "organization_id", ?, "position", "invoice_id", "service_id", "category", ?::numeric, coalesce(?::timestamptz, "period_start"),
         coalesce(?::timestamptz, "period_end"), ?::timestamptz from "billing"."invoice_line" where "organization_id" = ? and "invoice_id" = ? and "position" = ?
       on conflict do nothing`,
      [
        ...[source, net.toFixed(4), period?.start.toISOString() ?? null, period?.end.toISOString() ?? null, at.toISOString()],
        ...[organizationId, invoiceId, position],
      ],
    );
  }
}
