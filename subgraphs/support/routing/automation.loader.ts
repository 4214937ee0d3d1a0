import DataLoader from 'dataloader';
import type { Rows } from '../../../kernel/database/database.ts';

/**
 * Loads, for each ticket id, the time at which an active routing rule escalates the ticket next. Null if no rule does.
 */
export const routedEscalationsOf = (rows: Rows, organizationId: string): DataLoader<string, Date | null> =>
  new DataLoader(async (ids) => {
    const found = await rows.query<{ ticket_id: string; due_at: Date | string }>(
      `select a."ticket_id", min(a."due_at") as "due_at"
       from "support"."ticket_automation" a join "support"."routing_rule" r on r."id" = a."rule_id" and r."active"
       where a."organization_id" = $1 and a."ticket_id" = any($2) and a."kind" = 'escalation' and a."due_at" is not null
       group by a."ticket_id"`,
      [organizationId, ids],
    );
    const byTicket = new Map(found.map(({ ticket_id, due_at }) => [ticket_id, new Date(due_at)]));
    return ids.map((id) => byTicket.get(id) ?? null);
  });
