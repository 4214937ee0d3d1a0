import type { Plan } from '../../../kernel/access/principal.ts';
import type { Clock } from '../../../kernel/clock.ts';
import type { EntityManager } from '../../../kernel/database/database.ts';
import { newId } from '../../../kernel/records/ids.ts';
import { remainingAllowance } from '../notifications/notification-limits.ts';
import type { NotificationSender } from '../notifications/notification-sender.ts';
import type { Ticket } from '../tickets/ticket.entity.ts';
import type { RoutingRule } from './routing-rule.entity.ts';
import { firstMatch, type RoutedTicket } from './rule-matching.ts';
import { AutomationKind, TicketAutomation } from './ticket-automation.entity.ts';

/** Actor that is recorded for changes by automatic routing. */
export const ROUTING_ACTOR = { kind: 'system', id: 'support.routing' } as const;

/** Applies the actions of a routing rule to a new ticket, in the transaction that creates the ticket. */
export class TicketRouter {
  constructor(
    private readonly sender: NotificationSender,
    private readonly clock: Clock,
  ) {}

  /** Returns the first rule that matches. */
  match(rules: readonly RoutingRule[], ticket: RoutedTicket, customerTier: string): RoutingRule | undefined {
    return firstMatch(rules, ticket, customerTier);
  }

  /** Notifies the addresses of the rule and starts its automations for the ticket. */
  async begin(tx: EntityManager, ticket: Ticket, { id: ruleId, ruleName, actions }: RoutingRule, plan: Plan): Promise<void> {
    if (actions.notify?.length) await this.#tell(tx, ticket, actions.notify, ruleName, plan);
    if (actions.escalateAfter) this.#start(tx, ticket, { ruleId, kind: AutomationKind.ESCALATION, interval: actions.escalateAfter });
    if (actions.autoUpdateFrequency)
      this.#start(tx, ticket, { ruleId, kind: AutomationKind.UPDATE, interval: actions.autoUpdateFrequency });
  }

  async #tell(tx: EntityManager, ticket: Ticket, addresses: readonly string[], ruleName: string, plan: Plan): Promise<void> {
    const allowance = await remainingAllowance(tx, ticket.organizationId, plan, this.clock.now());
    const recipients = { contacts: addresses.map((address) => ({ address })), allowance };
    const parts = { template: 'ticket_routed', variables: new Map([['rule', ruleName]]) } as const;
    await this.sender.sendTicketMail(tx, ticket, recipients, parts, ROUTING_ACTOR);
  }

  #start(
    tx: EntityManager,
    { id: ticketId, organizationId, createdAt }: Ticket,
    what: Pick<TicketAutomation, 'ruleId' | 'kind' | 'interval'>,
  ): void {
    const automation = Object.assign(new TicketAutomation(), { id: newId('ticketAutomation'), organizationId, ticketId, ...what });
    automation.startAt(createdAt);
    tx.persist(automation);
  }
}
