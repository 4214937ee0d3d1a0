import type { Ports } from '../../../kernel/domain.ts';
import { type DueDeps, dueSweeper, type Sweeper } from '../../../kernel/records/due.ts';
import { HOUR_MS } from '../../../kernel/values/days.ts';
import { TicketStatus } from '../ticket.states.ts';
import type { Ticket } from '../tickets/ticket.entity.ts';
import type { TicketEditor } from '../tickets/ticket-editor.ts';
import { escalationsOf } from './sla-clocks.ts';
import { SLA_JOB } from './sla-tracker.ts';

export interface SlaSweeperDeps extends DueDeps, Pick<Ports, 'database' | 'isClosed'> {
  editor: TicketEditor;
}

const DUE = { name: 'support.sla', table: 'support.ticket', column: 'sla_due_at', postponeMs: 5 * 60_000, waitMs: HOUR_MS } as const;

/**
 * Creates the sweeper that emits SLA events at their deadlines and escalates overdue tickets. `TicketEditor` stores the
 * next deadline of each ticket. The sweeper also processes tickets of suspended organizations, but not of closed
 * organizations.
 */
export const slaSweeper = (deps: SlaSweeperDeps): Sweeper =>
  dueSweeper({ ...deps, waits: deps.isClosed }, DUE, async (tx, id) => void (await deps.editor.change(tx, id, SLA_JOB, escalate)));

/**
 * Raises the escalation level of a ticket directly to the highest level that is due. If no process ran for some time,
 * several levels may be due at the same time.
 */
function escalate(ticket: Ticket, now: Date): void {
  const step = escalationsOf(ticket).findLast(({ at }) => at <= now);
  if (!step) return;
  if (ticket.status !== TicketStatus.ESCALATED) ticket.moveTo(TicketStatus.ESCALATED, now);
  ticket.escalate(step.level, `Not resolved in time for level ${step.level}`, now);
}
