import type { Rows } from '../../../kernel/database/database.ts';
import { Decimal } from '../../../kernel/values/money.ts';
import type { RecurringCosts } from '../usage/recurring-costs.ts';

/** Returns the monthly prices of the services that subscriptions bill now, as a sum for each currency. */
export const recurringCosts =
  (rows: Rows): RecurringCosts =>
  async ({ organizationId, accounts, serviceType }) => {
    const found = await rows.query<{ currency: string; monthly: string }>(
      `select s."currency", sum(i."price")::text as "monthly" from "billing"."subscription_item" i
         join "billing"."subscription" s on s."id" = i."subscription_id"
       where i."organization_id" = $1 and i."state" = 'active' and ($2::text[] is null or i."account_id" = any($2))
         and ($3::text is null or i."category" = $3) group by 1`,
      [organizationId, accounts, serviceType ?? null],
    );
    return new Map(found.map(({ currency, monthly }) => [currency, new Decimal(monthly)]));
  };
