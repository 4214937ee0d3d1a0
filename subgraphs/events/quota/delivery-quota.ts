import { PLANS } from '../../../kernel/access/plans.ts';
import type { Plan } from '../../../kernel/access/principal.ts';
import type { EntityManager, Orm, Rows } from '../../../kernel/database/database.ts';
import { record } from '../../../kernel/events/outbox.ts';
import { dateOf, monthNameOf, monthStart } from '../../../kernel/values/days.ts';
import { webhookQuotaExceeded } from '../webhooks/webhook.events.ts';
import type { WebhookUsage } from './delivery-usage.ts';

/** Returns the plan of an organization, usually from a cache in memory. */
export type PlanOf = (organizationId: string) => Promise<Plan>;

/** Monthly limits of deliveries by organization id. `Infinity` means that the plan has no limit. */
export type Limits = ReadonlyMap<string, number>;

interface CounterRow {
  organization_id: string;
  count: string | number;
  exceeded_at: Date | string | null;
}

/**
 * Counts deliveries by organization and calendar month (UTC), and applies the limit of the plan (specification 8.1,
 * 8.5). A delivery is counted when it is planned for an event, a replay or a redelivery. Retries and test events are
 * not counted.
 */
export class DeliveryQuota {
  readonly #table: string;

  constructor(
    orm: Orm,
    private readonly rows: Rows,
    private readonly planOf: PlanOf,
  ) {
    this.#table = `"${orm.config.getAll().schema}"."delivery_month_counter"`;
  }

  /**
   * Returns the monthly limits of the organizations. Must be called before a transaction begins, because it may send a
   * query. On the embedded database, this query would wait until the transaction ends.
   */
  async limitsOf(organizationIds: Iterable<string>): Promise<Limits> {
    const limits = [...new Set(organizationIds)].map(async (id) => [id, PLANS[await this.planOf(id)].webhookDeliveriesPerMonth] as const);
    return new Map(await Promise.all(limits));
  }

  /**
   * Locks the counters of the organizations in `limits` until the transaction ends. So only one transaction at a time
   * plans deliveries of an organization.
   */
  async open(tx: EntityManager, limits: Limits, now: Date): Promise<Allowance> {
    const ids = [...limits.keys()].sort();
    const rows = await tx.execute<CounterRow[]>(
      `insert into ${this.#table} as c ("organization_id", "month", "count")
       select "value", ?::date, 0 from json_array_elements_text(?::json) order by 1
       on conflict ("organization_id", "month") do update set "count" = c."count" returning "organization_id", "count", "exceeded_at"`,
      [dateOf(monthStart(now)), JSON.stringify(ids)],
    );
    return new Allowance(rows, limits, now);
  }

  /**
   * Writes the counters. Records an event for each organization that needed more deliveries than its limit allows, at
   * most once per organization and month.
   */
  async close(tx: EntityManager, { limits, now, taken, refused, notified }: Allowance): Promise<void> {
    const ids = [...new Set([...taken.keys(), ...refused])];
    if (ids.length === 0) return;
    const changes = ids.map((id) => ({ id, taken: taken.get(id) ?? 0, exceeded_at: refused.has(id) ? now : null }));
    await tx.execute(
      `update ${this.#table} c set "count" = c."count" + d."taken", "exceeded_at" = coalesce(c."exceeded_at", d."exceeded_at")
       from json_to_recordset(?::json) as d("id" text, "taken" int, "exceeded_at" timestamptz)
       where c."organization_id" = d."id" and c."month" = ?::date`,
      [JSON.stringify(changes), dateOf(monthStart(now))],
    );
    for (const id of refused) {
      if (!notified.has(id)) await record(tx, webhookQuotaExceeded(id, limits.get(id) ?? 0, now));
    }
  }

  /** Returns how many deliveries an organization has used in the current month, and its limit. */
  async usageOf(organizationId: string, now: Date): Promise<WebhookUsage> {
    const limit = (await this.limitsOf([organizationId])).get(organizationId) ?? 0;
    const [row] = await this.rows.query<CounterRow>(
      `select "count", "exceeded_at" from ${this.#table} where "organization_id" = $1 and "month" = $2::date`,
      [organizationId, dateOf(monthStart(now))],
    );
    return {
      month: monthNameOf(now),
      counted: Number(row?.count ?? 0),
      limit: Number.isFinite(limit) ? limit : null,
      exceededAt: row?.exceeded_at ? new Date(row.exceeded_at) : null,
      resetAt: monthStart(now, 1),
    };
  }
}

/** Remaining deliveries of the organizations whose counters are locked. */
export class Allowance {
  readonly #left: Map<string, number>;
  readonly taken = new Map<string, number>();
  /** Organizations that had no deliveries left when one was needed. */
  readonly refused = new Set<string>();
  /** Organizations for which the event about the reached limit was already recorded this month. */
  readonly notified: ReadonlySet<string>;

  constructor(
    rows: readonly CounterRow[],
    readonly limits: Limits,
    readonly now: Date,
  ) {
    this.#left = new Map(rows.map(({ organization_id: id, count }) => [id, (limits.get(id) ?? 0) - Number(count)]));
    this.notified = new Set(rows.filter((row) => row.exceeded_at).map((row) => row.organization_id));
  }

  /** Uses one of the organization's remaining deliveries. Returns false if none is left. */
  take(organizationId: string): boolean {
    const left = this.#left.get(organizationId) ?? 0;
    if (left < 1) {
      this.refused.add(organizationId);
      return false;
    }
    this.#left.set(organizationId, left - 1);
    this.taken.set(organizationId, (this.taken.get(organizationId) ?? 0) + 1);
    return true;
  }
}
