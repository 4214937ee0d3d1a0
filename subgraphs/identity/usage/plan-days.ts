import type { Plan } from '../../../kernel/access/principal.ts';
import type { EntityManager } from '../../../kernel/database/database.ts';
import { dateOf } from '../../../kernel/values/days.ts';

/** Start date of an organization's first plan, stored at the first plan change. It is earlier than any request. */
const ALWAYS = '1970-01-01';

/** Stores a plan change. Each day of a month is priced by the plan at the end of the day (UTC). */
export async function recordPlan(
  tx: EntityManager,
  organizationId: string,
  { before, plan }: { before: Plan; plan: Plan },
  now: Date,
): Promise<void> {
  await tx.execute(
    `insert into "identity"."organization_plan" ("organization_id", "day", "plan")
     select ?, ?::date, ? where not exists (select from "identity"."organization_plan" where "organization_id" = ?)`,
    [organizationId, ALWAYS, before, organizationId],
  );
  await tx.execute(
    `insert into "identity"."organization_plan" ("organization_id", "day", "plan") values (?, ?::date, ?)
     on conflict ("organization_id", "day") do update set "plan" = excluded."plan"`,
    [organizationId, dateOf(now), plan],
  );
}
