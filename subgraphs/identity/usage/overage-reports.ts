import { PLAN_CURRENCY, PLANS } from '../../../kernel/access/plans.ts';
import type { Plan } from '../../../kernel/access/principal.ts';
import type { Clock } from '../../../kernel/clock.ts';
import type { EntityManager, Orm } from '../../../kernel/database/database.ts';
import { record } from '../../../kernel/events/outbox.ts';
import { DAY_MS, dateOf, datesBetween, dayStart, monthStart } from '../../../kernel/values/days.ts';
import { OPENED_AT_ONCE, openAccounts } from '../accounts/organization-accounts.ts';
import { overageOf, type UsageDay } from './overage-days.ts';
import { overageRecorded, usageOverage } from './usage.events.ts';

const BATCH = 100;
/** Minimum time between two reports of the same organization and month. */
const EVERY_MS = 3_600_000;
/**
 * Delay between the opening of an account and its first charge. The first charge includes earlier overage. The accounts of existing
 * organizations are opened during an upgrade, in which processes of the previous release could handle the event and ignore it.
 */
const OPENED_BEFORE_MS = DAY_MS;

interface Due {
  organization_id: string;
  month: string;
  requests: string;
  reported: string;
  charged: string;
  plan: Plan;
  /** The plans of the organization, by the first day of each plan. Null if the plan never changed. */
  plans: Record<string, Plan> | null;
  /** Account that is invoiced for the organization, and the organization to which it belongs. Null if nobody is invoiced. */
  account_id: string | null;
  operator_id: string | null;
}

interface Month {
  periodStart: Date;
  periodEnd: Date;
}

/** Number of included requests for each plan that has an overage price. */
const INCLUDED = JSON.stringify(
  Object.fromEntries(
    Object.entries(PLANS).flatMap(([plan, { includedPerMonth, overagePrice }]) => (overagePrice ? [[plan, includedPerMonth]] : [])),
  ),
);

/**
 * Reports overage: the requests of a month that exceed the included requests of the plan (specification 8.1). The event
 * `usage.overage` informs the organization. The event `overage.recorded` charges its account at the operator's
 * organization, if it has one. The events and the reported and charged quantities are stored in the same transaction,
 * so each request is reported and charged once, even if a process crashes or several processes run.
 */
export class OverageReports {
  constructor(
    private readonly orm: Orm,
    private readonly clock: Clock,
  ) {}

  /**
   * Reports the overage of the current and the previous month. The previous month is included, because its last
   * requests may be counted after the month has ended. Opens missing accounts of organizations before.
   */
  async report(): Promise<void> {
    const em = this.orm.em.fork();
    while ((await em.transactional((tx) => openAccounts(tx, this.clock.now()))) === OPENED_AT_ONCE);
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
      const days = await this.#days(tx, one, period);
      const { included, overage, unreported } = overageOf(days, reported);
      for (const part of unreported)
        await record(tx, usageOverage({ organizationId, ...period, ...part, currency: PLAN_CURRENCY, included, overage }, now));
      const charged = await this.#charge(tx, one, { days, period, now });
      await this.#note(tx, { organizationId, month, reported: Math.max(overage, reported), charged, now });
    }
    return due.length;
  }

  /**
   * Charges the account of the organization for overage that was not charged yet. Returns the charged quantity of the month after this
   * charge.
   */
  async #charge(tx: EntityManager, due: Due, { days, period, now }: { days: UsageDay[]; period: Month; now: Date }): Promise<number> {
    const before = Number(due.charged);
    const { organization_id: organizationId, account_id: id, operator_id: operatorId, month } = due;
    if (!id || !operatorId) return before;
    const { overage, unreported } = overageOf(days, before);
    const usedAt = new Date(Math.min(now.getTime(), period.periodEnd.getTime() - 1));
    let position = before;
    for (const part of unreported) {
      const source = `${organizationId}/${month.slice(0, 7)}/${position}`;
      const account = { id, organizationId: operatorId };
      await record(tx, overageRecorded({ organizationId, account, ...part, currency: PLAN_CURRENCY, usedAt, source }, now));
      position += part.quantity;
    }
    return Math.max(overage, before);
  }

  /**
   * Returns the usage of each day of the month. If the plan never changed, all days have the same price, so all
   * requests are counted on the first day of the month.
   */
  async #days(tx: EntityManager, due: Due, { periodStart, periodEnd }: Month): Promise<UsageDay[]> {
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
    const thisMonth = monthStart(now);
    return tx.execute<Due[]>(
      `select m."organization_id", m."month"::text as "month", m."requests", m."reported", m."charged", o."plan", h."plans",
         a."id" as "account_id", a."organization_id" as "operator_id"
       from "${schema}"."usage_month_counter" m join "${schema}"."organization" o on o."id" = m."organization_id"
         left join "${schema}"."account" a on a."billed_organization_id" = o."id" and a."created_at" <= ?
         cross join lateral (
           select jsonb_object_agg("day"::text, "plan") as "plans" from "${schema}"."organization_plan" where "organization_id" = o."id") h
       where m."month" >= ?::date
         and (m."requests" > m."reported" + case when h."plans" is null then (?::jsonb ->> o."plan")::bigint else 0 end
           or (a."id" is not null and m."reported" > m."charged"))
         and (m."reported_at" is null or m."reported_at" <= ? or (m."month" < ?::date and m."reported_at" < ?))
       order by m."month", m."organization_id" limit ${BATCH} for update of m skip locked`,
      [
        ...[new Date(now.getTime() - OPENED_BEFORE_MS), dateOf(monthStart(now, -1)), INCLUDED, new Date(now.getTime() - EVERY_MS)],
        // what was used in the last hour of a month is reported at once, so that it is on the invoice of the month
        ...[dateOf(thisMonth), thisMonth],
      ],
    );
  }

  async #note(
    tx: EntityManager,
    {
      organizationId,
      month,
      reported,
      charged,
      now,
    }: {
      organizationId: string;
      month: string;
      reported: number;
      charged: number;
      now: Date;
    },
  ) {
    const { schema } = tx.config.getAll();
    await tx.execute(
      `update "${schema}"."usage_month_counter" set "reported" = ?, "charged" = ?, "reported_at" = ? where "organization_id" = ? and "month" = ?::date`,
      [reported, charged, now, organizationId, month],
    );
  }
}
