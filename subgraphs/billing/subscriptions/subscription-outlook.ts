import DataLoader from 'dataloader';
import type { EntityManager, Rows } from '../../../kernel/database/database.ts';
import { HOUR_MS } from '../../../kernel/values/days.ts';
import type { BillingSubscription } from './subscription.entity.ts';

/** Time between the end of a period and its billing. Late metered usage of the period can arrive in this time. */
export const USAGE_WAIT_MS = HOUR_MS;

/** Figures about all items of a subscription. */
export interface SubscriptionOutlook {
  /** Number of services that the subscription bills now or will bill. */
  live: number;
  /** Time at which the recurring run must bill the subscription next. Null if nothing is left to bill. */
  billDueAt: Date | null;
  /** Time at which the next period of an item begins. Null if no period follows. */
  nextDate: Date | null;
}

const NEXT_DATE = `min("billed_until") filter (where "state" <> 'ended' and ("auto_renew" or "period_start" is null))`;

/** SQL for the times that `dueOf` and `nextDateOf` compute from loaded items. */
const OUTLOOK = `
  select count(*) filter (where "state" <> 'ended')::int as "live",
    least(
      min(case when "state" = 'planned' then "starts_at"
        else case when "state" = 'active' then "billed_until" else "late_usage_due_at" end
          + case when "period_start" is null then interval '0' else interval '${USAGE_WAIT_MS} milliseconds' end end),
      (select min(c."from_at") from "billing"."subscription_charge" c
        where c."organization_id" = ? and c."subscription_id" = ? and c."billed_at" is null and c."kind" = 'recurring')
    ) as "bill_due_at",
    ${NEXT_DATE} as "next_date"
  from "billing"."subscription_item"
  where "organization_id" = ? and "subscription_id" = ? and ("state" <> 'ended' or "late_usage_due_at" is not null)`;

/**
 * Reads the figures about the items of a subscription. The database computes them, because an automatic subscription may have thousands of
 * items. Changes of the unit of work must have been flushed.
 */
export async function outlookOf(tx: EntityManager, { organizationId, id }: BillingSubscription): Promise<SubscriptionOutlook> {
  const [row] = await tx.execute<OutlookRow[]>(OUTLOOK, [organizationId, id, organizationId, id]);
  const { live, bill_due_at: billDueAt, next_date: nextDate } = row as OutlookRow;
  return { live, billDueAt: dateOrNull(billDueAt), nextDate: dateOrNull(nextDate) };
}

/** Returns a loader of the times at which the next periods of subscriptions begin. */
export const nextDatesOf = (rows: Rows, organizationId: string): DataLoader<string, Date | null> =>
  new DataLoader(async (ids) => {
    const found = await rows.query<{ id: string; next_date: Date | string | null }>(
      `select "subscription_id" as "id", ${NEXT_DATE} as "next_date" from "billing"."subscription_item"
       where "organization_id" = $1 and "subscription_id" = any($2) and "state" <> 'ended' group by 1`,
      [organizationId, [...ids]],
    );
    return ids.map((id) => dateOrNull(found.find((row) => row.id === id)?.next_date ?? null));
  });

interface OutlookRow {
  live: number;
  bill_due_at: Date | string | null;
  next_date: Date | string | null;
}

const dateOrNull = (value: Date | string | null): Date | null => (value === null ? null : new Date(value));
