import type { LineDraft } from '../invoices/invoice-issue.ts';
import { LineKind } from '../invoices/line-kind.ts';
import type { MeteredBill, MeteredPeriod } from '../usage/metered-lines.ts';
import type { SubscriptionItem } from './subscription-item.entity.ts';

interface UsageTerms {
  currency: string;
  /** Time zone of the account. */
  zone: string;
  end: Date;
}

/**
 * Moves the billed usage of an item on to `end`, and returns the invoice lines for usage that was not billed yet. `meter` reads this usage
 * and marks it as billed.
 */
export async function usageLines(
  meter: (of: MeteredPeriod) => Promise<MeteredBill>,
  item: SubscriptionItem,
  { currency, zone, end }: UsageTerms,
): Promise<LineDraft[]> {
  const { organizationId, serviceId, category, id: itemId, meteredUntil: start } = item;
  if (start >= end) return [];
  item.meteredUntil = end;
  const period = { start, end };
  // usage of the account itself is named as its item, because the account has no other
  const named = item.isOfAccount && { name: item.name };
  const bill = await meter({ organizationId, serviceId, period, zone, currency, ...named });
  return bill.lines.map(({ description, amount }) => ({
    ...{ serviceId, description, category, kind: LineKind.USAGE, itemId, period },
    ...{ quantity: 1, unitPrice: amount },
  }));
}
