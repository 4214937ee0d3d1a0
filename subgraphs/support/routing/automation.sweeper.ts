import type { EntityManager } from '../../../kernel/database/database.ts';
import type { Ports } from '../../../kernel/domain.ts';
import { type DueDeps, dueSweeper, type Sweeper } from '../../../kernel/records/due.ts';
import { AuthorType } from '../comment-author.ts';
import type { CommentWriter } from '../comments/comment-writer.ts';
import { wordsOf } from '../notifications/notification-composer.ts';
import { remainingAllowance } from '../notifications/notification-limits.ts';
import type { NotificationSender } from '../notifications/notification-sender.ts';
import { MAX_ESCALATION_LEVEL, TicketStatus } from '../ticket.states.ts';
import { Ticket } from '../tickets/ticket.entity.ts';
import type { TicketEditor } from '../tickets/ticket-editor.ts';
import { Visibility } from '../visibility.ts';
import { RoutingRule } from './routing-rule.entity.ts';
import { AutomationKind, TicketAutomation } from './ticket-automation.entity.ts';
import { ROUTING_ACTOR } from './ticket-router.ts';

export interface AutomationSweeperDeps extends DueDeps, Pick<Ports, 'database' | 'isSuspended'> {
  editor: TicketEditor;
  writer: CommentWriter;
  sender: NotificationSender;
}

const DUE = {
  name: 'support.routing',
  table: 'support.ticket_automation',
  column: 'due_at',
  postponeMs: 60_000,
  owner: { table: 'support.ticket', column: 'ticket_id' },
} as const;

/**
 * Creates the sweeper that runs the due automations of routing rules: it escalates tickets and sends updates to
 * customers.
 */
export const automationSweeper = (deps: AutomationSweeperDeps): Sweeper =>
  dueSweeper({ ...deps, waits: deps.isSuspended }, DUE, async (tx, id, now) => {
    const due = await tx.findOneOrFail(TicketAutomation, { id });
    due.done(now);
    const rule = await tx.findOne(RoutingRule, { id: due.ruleId, active: true });
    if (!rule) return;
    if (due.kind === AutomationKind.ESCALATION) await escalate(tx, deps, due, rule);
    else await update(tx, deps, await tx.findOneOrFail(Ticket, { id: due.ticketId }), now);
  });

/**
 * Escalates a ticket one level. The customer can read the reason, but only support staff can read the name of the rule.
 */
async function escalate(
  tx: EntityManager,
  { editor }: AutomationSweeperDeps,
  { ticketId, interval }: TicketAutomation,
  { ruleName }: RoutingRule,
): Promise<void> {
  const raise = (ticket: Ticket, now: Date): void => {
    const level = ticket.escalationLevel + 1;
    if (level > MAX_ESCALATION_LEVEL) return;
    if (ticket.status !== TicketStatus.ESCALATED) ticket.moveTo(TicketStatus.ESCALATED, now);
    ticket.escalate(level, `Not resolved within ${wordsOf(interval)}`, now);
  };
  const details = { comments: `Routing rule “${ruleName}”`, notify: [], metadata: {} };
  await editor.change(tx, ticketId, ROUTING_ACTOR, raise, details);
}

/** Sends the customer an update. Does nothing while the ticket waits for a reply of the customer. */
async function update(tx: EntityManager, { writer, sender }: AutomationSweeperDeps, ticket: Ticket, now: Date): Promise<void> {
  const { contact, organizationId, slaTerms } = ticket;
  if (ticket.waitingSince) return;
  const content = `We are still working on this ticket, which is ${wordsOf(ticket.status)}.`;
  const author = { type: AuthorType.SYSTEM, id: ROUTING_ACTOR.id, name: 'Automatic update', email: null };
  await writer.add(tx, ticket.id, { content, type: 'customer_update', visibility: Visibility.CUSTOMER, author }, ROUTING_ACTOR);
  if (!contact?.email) return;
  const contacts = [{ address: contact.email, name: contact.name, role: contact.role }];
  const allowance = await remainingAllowance(tx, organizationId, slaTerms.plan, now);
  await sender.sendTicketMail(tx, ticket, { contacts, allowance }, { template: 'scheduled_update' }, ROUTING_ACTOR);
}
