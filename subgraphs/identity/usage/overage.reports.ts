import { PLAN_CURRENCY, PLANS } from '../../../kernel/access/plans.ts';
import type { Plan } from '../../../kernel/access/principal.ts';
import type { Clock } from '../../../kernel/clock.ts';
import type { EntityManager, Orm } from '../../../kernel/database/database.ts';
import { record } from '../../../kernel/events/outbox.ts';
import { monthStart } from '../../../kernel/values/days.ts';
import { usageOverage } from './usage.events.ts';

const BATCH = 100;
/** A month is reported at most so often. */
const EVERY_MS = 3_600_000;

interface Due {
  organization_id: string;
  month: string;
  requests: string;
  reported: string;
  plan: Plan;
}

/** What each plan includes; one that is not priced is not here. */
const INCLUDED = JSON.stringify(
  Object.fromEntries(
    Object.entries(PLANS).flatMap(([plan, { includedPerMonth, overagePrice }]) => (overagePrice ? [[plan, includedPerMonth]] : [])),
  ),
);

/**
 * Hands what goes beyond the inclusion of a plan (specification 8.1) to billing, as events. What was reported is noted in the
 * transaction that records the event: each request is reported once, whatever crashes and however many processes do this.
 */
export class OverageReports {
  constructor(
    private readonly orm: Orm,
    private readonly clock: Clock,
  ) {}

  /** Reports what is due of this month and the one before, which may still have had something to write when it ended. */
  async report(): Promise<void> {
    while ((await this.orm.em.fork().transactional((tx) => this.#reportBatch(tx))) === BATCH);
  }

  async #reportBatch(tx: EntityManager): Promise<number> {
    const now = this.clock.now();
    const due = await this.#due(tx, now);
    for (const { organization_id: organizationId, month, requests, reported, plan } of due) {
      const { includedPerMonth: included, overagePrice: unitPrice } = PLANS[plan];
      if (!unitPrice) continue;
      const overage = Number(requests) - included;
      const periodStart = new Date(`${month}T00:00:00.000Z`);
      const period = { periodStart, periodEnd: monthStart(periodStart, 1) };
      const quantity = overage - Number(reported);
      await record(tx, usageOverage({ organizationId, ...period, quantity, unitPrice, currency: PLAN_CURRENCY, included, overage }, now));
      await this.#note(tx, { organizationId, month, overage, now });
    }
    return due.length;
  }

  /** Locked until the transaction ends; what another process is reporting is left to it. */
  #due(tx: EntityManager, now: Date): Promise<Due[]> {
    const { schema } = tx.config.getAll();
    const since = monthStart(new Date(monthStart(now).getTime() - 1));
    return tx.execute<Due[]>(
      `select m."organization_id", m."month"::text as "month", m."requests", m."reported", o."plan"
       from "${schema}"."usage_month_counter" m join "${schema}"."organization" o on o."id" = m."organization_id"
       where m."month" >= ? and m."requests" > m."reported" + (?::jsonb ->> o."plan")::bigint
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
