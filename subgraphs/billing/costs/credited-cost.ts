import type { EntityManager } from '../../../kernel/database/database.ts';
import type { Decimal } from '../../../kernel/values/money.ts';
import type { Period } from '../calculation/billing-periods.ts';

/** A credit for a line of an invoice, for example from a credit note. */
export interface CreditedCost {
  organizationId: string;
  /** Id of the record that gives the credit, such as a credit note. The credit of a record is deducted only once. */
  source: string;
  invoiceId: string;
  lines: readonly {
    /** Position of the line on the invoice. */
    position: number;
    /** Credited amount, net of tax. The credits of a line together are at most the amount of the line. */
    net: Decimal;
    /**
     * Part of the period of the line that is credited. Default: the whole period of the line or, if it has no period,
     * the day on which the invoice was issued.
     */
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
