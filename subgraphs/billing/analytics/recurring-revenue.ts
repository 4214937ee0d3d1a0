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
  organization_id: string;
  service_id: string;
  account_id: string;
  currency: string;
  monthly: string;
}

/**
 * Records the new monthly prices of services, and the changes of the recurring revenue of their organizations. The services must be
 * different. Ignores prices that are recorded already, and prices of services for which a price at a later time is recorded. The number of
 * statements does not depend on the number of services.
 */
export async function recordRecurring(tx: EntityManager, prices: readonly RecurringPrice[]): Promise<void> {
  const rowOf = ({ organizationId, serviceId, accountId, currency, monthly, at }: RecurringPrice) => ({
    ...{ organization_id: organizationId, service_id: serviceId, account_id: accountId, currency },
    ...{ monthly: monthly.toFixed(4), changed_at: at.toISOString() },
  });
  const given = `json_to_recordset(?::json) as n("organization_id" text, "service_id" text, "account_id" text, "currency" text, "monthly" numeric,
    "changed_at" timestamptz)`;
  const all = JSON.stringify(prices.map(rowOf));
  await executeUnread(
    tx,
    `insert into "billing"."recurring_service" ("organization_id", "service_id", "account_id", "currency", "monthly", "changed_at")
     select n."organization_id", n."service_id", n."account_id", n."currency", 0, '-infinity' from ${given}
     order by n."organization_id", n."service_id" on conflict do nothing`,
    [all],
  );
  const known = await tx.execute<Known[]>(
    `select k."organization_id", k."service_id", k."account_id", k."currency", k."monthly"::text
     from "billing"."recurring_service" k join ${given} using ("organization_id", "service_id")
     where k."changed_at" <= n."changed_at" order by k."organization_id", k."service_id" for update of k`,
    [all],
  );
  const before = new Map(known.map((row) => [keyOf(row.organization_id, row.service_id), row]));
  const newer = prices.flatMap((price) => {
    const row = before.get(keyOf(price.organizationId, price.serviceId));
    return row ? [{ price, known: row }] : [];
  });
  if (newer.length === 0) return;
  await executeUnread(
    tx,
    `update "billing"."recurring_service" k set "account_id" = n."account_id", "currency" = n."currency", "monthly" = n."monthly",
       "changed_at" = n."changed_at"
     from ${given} where k."organization_id" = n."organization_id" and k."service_id" = n."service_id"`,
    [JSON.stringify(newer.map(({ price }) => rowOf(price)))],
  );
  await move(
    tx,
    newer.flatMap(({ price, known: row }) => movesOf(price, row)),
  );
}

const keyOf = (organizationId: string, serviceId: string): string => `${organizationId} ${serviceId}`;

/** A change of the monthly revenue of an account. */
interface Move {
  organization: string;
  account: string;
  currency: string;
  day: string;
  kind: 'added' | 'churned' | 'contracted' | 'expanded';
  change: string;
}

function movesOf({ organizationId, accountId, currency, monthly, at }: RecurringPrice, known: Known): Move[] {
  const before = new Decimal(known.monthly);
  const none = new Decimal(0);
  const isSame = known.account_id === accountId && known.currency === currency;
  const changes = isSame
    ? [{ account: accountId, currency, from: before, to: monthly }]
    : [
        { account: known.account_id, currency: known.currency, from: before, to: none },
        { account: accountId, currency, from: none, to: monthly },
      ];
  return changes.flatMap(({ account, currency: of, from, to }) => {
    const change = to.minus(from);
    if (change.isZero()) return [];
    const kind = from.isZero() ? 'added' : to.isZero() ? 'churned' : change.isNegative() ? 'contracted' : 'expanded';
    return [{ organization: organizationId, account, currency: of, day: dateOf(at), kind, change: change.toFixed(4) }];
  });
}

async function move(tx: EntityManager, moves: readonly Move[]): Promise<void> {
  if (moves.length === 0) return;
  const sum = (kind: Move['kind']): string => `coalesce(sum(m."change") filter (where m."kind" = '${kind}'), 0)`;
  await executeUnread(
    tx,
    `insert into "billing"."recurring_day" ("organization_id", "account_id", "currency", "day", "added", "expanded", "contracted", "churned")
     select m."organization", a, m."currency", m."day", ${sum('added')}, ${sum('expanded')}, ${sum('contracted')}, ${sum('churned')}
     from json_to_recordset(?::json) as m("organization" text, "account" text, "currency" text, "day" date, "kind" text, "change" numeric)
       cross join lateral unnest(array[m."account", '']) a group by m."organization", a, m."currency", m."day"
     order by 1, 2, 3, 4`,
    [JSON.stringify(moves)],
  );
}
