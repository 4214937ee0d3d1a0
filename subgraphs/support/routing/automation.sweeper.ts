import { LockMode } from '@mikro-orm/core';
import type { Clock } from '../../../kernel/clock.ts';
import type { EntityManager, Orm, Rows } from '../../../kernel/database.ts';
import { Sweeper } from '../../../kernel/due.ts';
import type { Logger } from '../../../kernel/log.ts';
import { organizationEm } from '../../../kernel/organization.filter.ts';
import { AuthorType } from '../comments/comment.values.ts';
import type { CommentWriter } from '../comments/comment.writer.ts';
import { wordsOf } from '../notifications/notification.composer.ts';
import type { Notifier } from '../notifications/notifier.ts';
import type { TicketEditor } from '../tickets/ticket.editor.ts';
import { Ticket } from '../tickets/ticket.entity.ts';
import { MAX_ESCALATION_LEVEL, TicketStatus } from '../tickets/ticket.states.ts';
import { Visibility } from '../visibility.ts';
import { RoutingRule } from './routing-rule.entity.ts';
import { ROUTING_ACTOR } from './ticket.router.ts';
import { AutomationKind, TicketAutomation } from './ticket-automation.entity.ts';

/** How long one is left alone that could not be done, so that it does not stand in the way of the others. */
const POSTPONED_MS = 60_000;

export interface AutomationSweeperDeps {
  orm: Orm;
  rows: Rows;
  clock: Clock;
  log: Logger;
  editor: TicketEditor;
  writer: CommentWriter;
  notifier: Notifier;
}

interface DueAutomation {
  id: string;
  organization_id: string;
  ticket_id: string;
}

/** Does what routing rules have going on with tickets when it is due: escalates, and tells customers how their tickets stand. */
export class AutomationSweeper extends Sweeper {
  constructor(deps: AutomationSweeperDeps) {
    super({ name: 'support.routing', clock: deps.clock, log: deps.log }, (now, limit) => sweep(deps, now, limit));
  }
}

async function sweep(deps: AutomationSweeperDeps, now: Date, limit: number): Promise<number> {
  const due = await deps.rows.query<DueAutomation>(
    `select "id", "organization_id", "ticket_id" from "support"."ticket_automation" where "due_at" <= $1 order by "due_at" limit $2`,
    [now, limit],
    'support.routing.due',
  );
  let done = 0;
  for (const automation of due) if (await handled(deps, automation, now)) done += 1;
  return done;
}

/** False where another process has the ticket: it is looked at again with the next sweep, if something is left. */
async function handled(deps: AutomationSweeperDeps, { id, organization_id, ticket_id }: DueAutomation, now: Date): Promise<boolean> {
  const em = organizationEm(deps.orm, organization_id);
  try {
    return await em.transactional((tx) => doDue(tx, deps, id, ticket_id));
  } catch (error) {
    deps.log.error({ err: error, ticket: ticket_id }, 'what a routing rule has going on could not be done and will be tried again');
    await em.nativeUpdate(TicketAutomation, { id, dueAt: { $lte: now } }, { dueAt: new Date(now.getTime() + POSTPONED_MS) });
    return true;
  }
}

/** The ticket is locked before what belongs to it, as by whoever changes the ticket. What is due is looked at under that lock. */
async function doDue(tx: EntityManager, deps: AutomationSweeperDeps, id: string, ticketId: string): Promise<boolean> {
  const ticket = await tx.findOne(Ticket, { id: ticketId }, { lockMode: LockMode.PESSIMISTIC_PARTIAL_WRITE });
  if (!ticket) return false;
  const now = deps.clock.now();
  const due = await tx.findOne(TicketAutomation, { id, dueAt: { $lte: now } }, { lockMode: LockMode.PESSIMISTIC_WRITE });
  if (!due) return false;
  due.done(now);
  const rule = await tx.findOne(RoutingRule, { id: due.ruleId, active: true });
  if (rule && due.kind === AutomationKind.ESCALATION) await escalate(tx, deps, ticketId, rule, due.interval);
  if (rule && due.kind === AutomationKind.UPDATE) await update(tx, deps, ticket);
  return true;
}

async function escalate(tx: EntityManager, { editor }: AutomationSweeperDeps, id: string, rule: RoutingRule, after: string): Promise<void> {
  await editor.change(tx, id, ROUTING_ACTOR, (ticket, now) => {
    const level = Math.min(ticket.escalationLevel + 1, MAX_ESCALATION_LEVEL);
    if (ticket.status !== TicketStatus.ESCALATED) ticket.moveTo(TicketStatus.ESCALATED, now);
    ticket.escalate(level, `Routing rule “${rule.ruleName}”: not resolved within ${after.replaceAll('_', ' ')}`, now);
  });
}

async function update(tx: EntityManager, { writer, notifier }: AutomationSweeperDeps, ticket: Ticket): Promise<void> {
  const content = `We are still working on this ticket, which is ${wordsOf(ticket.status)}.`;
  const author = { type: AuthorType.SYSTEM, id: ROUTING_ACTOR.id, name: 'Automatic update', email: null };
  await writer.add(tx, ticket.id, { content, type: 'customer_update', visibility: Visibility.CUSTOMER, author }, ROUTING_ACTOR);
  const { contact } = ticket;
  if (!contact?.email) return;
  const contacts = [{ address: contact.email, name: contact.name, role: contact.role }];
  await notifier.mail(tx, ticket, { contacts }, { template: 'scheduled_update' }, ROUTING_ACTOR);
}
