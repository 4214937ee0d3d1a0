import { PLAN_CURRENCY, PLANS } from '../../../kernel/access/plans.ts';
import type { Plan } from '../../../kernel/access/principal.ts';
import type { Clock } from '../../../kernel/clock.ts';
import type { EntityManager, Orm } from '../../../kernel/database/database.ts';
import { record } from '../../../kernel/events/outbox.ts';
import { dateOf, datesBetween, dayStart, monthStart } from '../../../kernel/values/days.ts';
import { overageOf, type UsageDay } from './overage-days.ts';
import { usageOverage } from './usage.events.ts';

const BATCH = 100;
/** Minimum time between two reports of the same organization and month. */
const EVERY_MS = 3_600_000;

interface Due {
  organization_id: string;
  month: string;
  requests: string;
  reported: string;
  plan: Plan;
  /** The plans of the organization, by the first day of each plan. Null if the plan never changed. */
  plans: Record<string, Plan> | null;
}

/** Number of included requests for each plan that has an overage price. */
const INCLUDED = JSON.stringify(
  Object.fromEntries(
    Object.entries(PLANS).flatMap(([plan, { includedPerMonth, overagePrice }]) => (overagePrice ? [[plan, includedPerMonth]] : [])),
  ),
);

/**
 * Reports overage: the requests of a month that exceed the included requests of the plan (specification 8.1). A report
 * is an event of the family `billing`. The event and the reported quantity are stored in the same transaction, so each
 * request is reported once, even if a process crashes or several processes run.
 */
export class OverageReports {
  constructor(
    private readonly orm: Orm,
    private readonly clock: Clock,
  ) {}

  /**
   * Reports the overage of the current and the previous month. The previous month is included, because its last
   * requests may be counted after the month has ended.
   */
  async report(): Promise<void> {
    while ((await this.orm.em.fork().transactional((tx) => this.#reportBatch(tx))) === BATCH);
  }

  async #reportBatch(tx: EntityManager): Promise<number> {
    const now = this.clock.now();
    const due = await this.#due(tx, now);
    for (const one of due) {
      const { organization_id: organizationId, month } = one;
      const periodStart = new Date(`${month}T00:00:00.000Z`);
      const period = { periodStart, periodEnd: monthStart(periodStart, 1) };
      const reported = Number(one.reported);
      const { included, overage, unreported } = overageOf(await this.#days(tx, one, period), reported);
      for (const part of unreported)
        await record(tx, usageOverage({ organizationId, ...period, ...part, currency: PLAN_CURRENCY, included, overage }, now));
      await this.#note(tx, { organizationId, month, overage: Math.max(overage, reported), now });
    }
    return due.length;
  }

  /**
   * Returns the usage of each day of the month. If the plan never changed, all days have the same price, so all
   * requests are counted on the first day of the month.
   */
  async #days(tx: EntityManager, due: Due, { periodStart, periodEnd }: { periodStart: Date; periodEnd: Date }): Promise<UsageDay[]> {
    const days = datesBetween(dateOf(periodStart), dateOf(dayStart(periodEnd, -1)));
    const { organization_id: organizationId, plans, plan, requests } = due;
    if (!plans) return days.map((_, index) => ({ plan, requests: index === 0 ? Number(requests) : 0 }));
    const { schema } = tx.config.getAll();
    const rows = await tx.execute<{ day: string; requests: string }[]>(
      `select to_char("hour" at time zone 'UTC', 'YYYY-MM-DD') as day, sum("requests") as requests from "${schema}"."usage_hour_counter"
       where "organization_id" = ? and "hour" >= ? and "hour" < ? group by 1`,
      [organizationId, periodStart, periodEnd],
    );
    const requestedOn = new Map(rows.map((row) => [row.day, Number(row.requests)]));
    const changes = Object.entries(plans).toSorted(([one], [other]) => one.localeCompare(other));
    return days.map((day) => ({
      plan: changes.findLast(([since]) => since <= day)?.[1] ?? plan,
      requests: requestedOn.get(day) ?? 0,
    }));
  }

  /**
   * Returns the counters to report and locks them until the transaction ends. Skips counters that another process is
   * reporting.
   */
  #due(tx: EntityManager, now: Date): Promise<Due[]> {
    const { schema } = tx.config.getAll();
    const since = monthStart(new Date(monthStart(now).getTime() - 1));
    return tx.execute<Due[]>(
      `select m."organization_id", m."month"::text as "month", m."requests", m."reported", o."plan", h."plans"
       from "${schema}"."usage_month_counter" m join "${schema}"."organization" o on o."id" = m."organization_id"
         cross join lateral (
           select jsonb_object_agg("day"::text, "plan") as "plans" from "${schema}"."organization_plan" where "organization_id" = o."id") h
       where m."month" >= ?
         and m."requests" > m."reported" + case when h."plans" is null then (?::jsonb ->> o."plan")::bigint else 0 end
         and (m."reported_at" is null or m."reported_at" <= ?)
       order by m."month", m."organization_id" limit ${BATCH} for update of m skip locked`,
      [since, INCLUDED, new Date(now.getTime() - EVERY_MS)],
    );
  }

  async #note(
    tx: EntityManager,
    { organizationId, month, overage, now }: { organizationId: string; month: string; overage: number; now: Date },
  ) {
    const { schema } = tx.config.getAll();
    await tx.execute(
      `update "${schema}"."usage_month_counter" set "reported" = ?, "reported_at" = ? where "organization_id" = ? and "month" = ?::date`,
      [overage, now, organizationId, month],
    );
  }
}
