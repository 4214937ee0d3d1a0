import { LockMode } from '@mikro-orm/core';
import type { Clock } from '../../../kernel/clock.ts';
import type { EntityManager, Orm, Rows } from '../../../kernel/database.ts';
import { Sweeper } from '../../../kernel/due.ts';
import type { Logger } from '../../../kernel/log.ts';
import { organizationEm } from '../../../kernel/organization.filter.ts';
import type { TicketEditor } from '../tickets/ticket.editor.ts';
import { Ticket } from '../tickets/ticket.entity.ts';
import { TicketStatus } from '../tickets/ticket.states.ts';
import { escalationsOf } from './sla.clocks.ts';
import { SLA_JOB } from './sla.keeper.ts';

/** How long a ticket is left alone that could not be handled, so that it does not stand in the way of the others. */
const POSTPONED_MS = 5 * 60_000;

export interface SlaSweeperDeps {
  orm: Orm;
  rows: Rows;
  clock: Clock;
  log: Logger;
  editor: TicketEditor;
}

interface DueTicket {
  id: string;
  organization_id: string;
}

/** Does by itself what falls due about tickets' service levels: says that they are at risk or breached, and escalates them. */
export class SlaSweeper extends Sweeper {
  constructor(deps: SlaSweeperDeps) {
    super({ name: 'support.sla', clock: deps.clock, log: deps.log }, (now, limit) => sweep(deps, now, limit));
  }
}

async function sweep(deps: SlaSweeperDeps, now: Date, limit: number): Promise<number> {
  const due = await deps.rows.query<DueTicket>(
    `select "id", "organization_id" from "support"."ticket" where "sla_due_at" <= $1 order by "sla_due_at" limit $2`,
    [now, limit],
    'support.sla.due',
  );
  for (const ticket of due) await handle(deps, ticket, now);
  return due.length;
}

async function handle({ orm, editor, log }: SlaSweeperDeps, { id, organization_id }: DueTicket, now: Date): Promise<void> {
  const em = organizationEm(orm, organization_id);
  try {
    await em.transactional((tx) => doDue(tx, editor, id, now));
  } catch (error) {
    log.error({ err: error, ticket: id }, 'what is due of a ticket could not be done and will be tried again');
    await em.nativeUpdate(Ticket, { id }, { slaDueAt: new Date(now.getTime() + POSTPONED_MS) });
  }
}

/** Where another process has the ticket, or has done it, nothing is left to do here. */
async function doDue(tx: EntityManager, editor: TicketEditor, id: string, now: Date): Promise<void> {
  const due = await tx.findOne(Ticket, { id, slaDueAt: { $lte: now } }, { lockMode: LockMode.PESSIMISTIC_PARTIAL_WRITE });
  if (due) await editor.change(tx, id, SLA_JOB, escalate);
}

/** Of several levels that are due the highest: a process that was away does not climb them one by one. */
function escalate(ticket: Ticket, now: Date): void {
  const step = escalationsOf(ticket).findLast(({ at }) => at <= now);
  if (!step) return;
  if (ticket.status !== TicketStatus.ESCALATED) ticket.moveTo(TicketStatus.ESCALATED, now);
  ticket.escalate(step.level, `Not resolved in time for level ${step.level}`, now);
}
