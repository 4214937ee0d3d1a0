import type { EntityManager } from '../../../kernel/database/database.ts';
import { executeUnread } from '../../../kernel/records/records.ts';
import { dateOf } from '../../../kernel/values/days.ts';
import { Decimal } from '../../../kernel/values/money.ts';

/** The monthly price of a service from the time `at` until its next price change. */
export interface RecurringPrice {
  organizationId: string;
  serviceId: string;
  accountId: string;
  currency: string;
  /** Price for one month, even for services that are billed quarterly or annually. 0 if the service has ended. */
  monthly: Decimal;
  at: Date;
}

interface Known {
  account_id: string;
  currency: string;
  monthly: string;
  is_newer: boolean;
}

/**
 * Records the new monthly price of a service, and the change of the recurring revenue. Does nothing if the call is repeated, or if a price
 * at a later time is already recorded.
 */
export async function recordRecurring(tx: EntityManager, price: RecurringPrice): Promise<void> {
  const { organizationId, serviceId, accountId, currency, monthly, at } = price;
  const key = [organizationId, serviceId];
  await executeUnread(
    tx,
    `insert into "billing"."recurring_service" ("organization_id", "service_id", "account_id", "currency", "monthly", "changed_at")
     values (?, ?, ?, ?, 0, '-infinity') on conflict do nothing`,
    [...key, accountId, currency],
  );
  const [known] = await tx.execute<Known[]>(
    `select "account_id", "currency", "monthly"::text, "changed_at" > ?::timestamptz as "is_newer" from "billing"."recurring_service"
     where "organization_id" = ? and "service_id" = ? for update`,
    [at.toISOString(), ...key],
  );
  if (!known || known.is_newer) return;
  await executeUnread(
    tx,
    `update "billing"."recurring_service" set "account_id" = ?, "currency" = ?, "monthly" = ?::numeric, "changed_at" = ?::timestamptz
     where "organization_id" = ? and "service_id" = ?`,
    [accountId, currency, monthly.toFixed(4), at.toISOString(), ...key],
  );
  const before = new Decimal(known.monthly);
  const isSame = known.account_id === accountId && known.currency === currency;
  if (!isSame) await move(tx, { ...price, accountId: known.account_id, currency: known.currency }, before, new Decimal(0));
  await move(tx, price, isSame ? before : new Decimal(0), monthly);
}

async function move(
  tx: EntityManager,
  { organizationId, accountId, currency, at }: RecurringPrice,
  before: Decimal,
  after: Decimal,
): Promise<void> {
  const change = after.minus(before);
  if (change.isZero()) return;
  const column = before.isZero() ? 'added' : after.isZero() ? 'churned' : change.isNegative() ? 'contracted' : 'expanded';
  await executeUnread(
    tx,
    `insert into "billing"."recurring_day" ("organization_id", "account_id", "currency", "day", "${column}")
     select ?, account, ?, ?::date, ?::numeric from unnest(array[?, '']) account`,
    [organizationId, currency, dateOf(at), change.toFixed(4), accountId],
  );
}
