import type { Clock } from '../../../kernel/clock.ts';
import type { EntityManager } from '../../../kernel/database/database.ts';
import { type Page, type PageInput, SortOrder } from '../../../kernel/graphql/page.ts';
import { newId } from '../../../kernel/records/ids.ts';
import type { RecordLoader } from '../../../kernel/records/loaders.ts';
import { listPage } from '../../../kernel/records/pagination.ts';
import { advisoryLock, definedOnly, orNotFound } from '../../../kernel/records/records.ts';
import type { RequestContext } from '../../../kernel/request.ts';
import { Agent } from '../agents/agent.entity.ts';
import { TooManyRoutingRules } from './routing.errors.ts';
import type { RoutingRuleInput, RoutingRuleUpdateInput } from './routing.inputs.ts';
import type { RoutingActions, RoutingConditions } from './routing.values.ts';
import { RoutingRule } from './routing-rule.entity.ts';
import { TicketAutomation } from './ticket-automation.entity.ts';

/** Maximum number of rules of an organization. Each new ticket is compared with the rules, so more rules would slow its creation. */
const MAX_RULES = 100;
const IN_ORDER = { orderBy: { position: 'asc', id: 'asc' } } as const;

export interface RoutingRuleServiceDeps {
  em: EntityManager;
  request: RequestContext;
  clock: Clock;
  loader: RecordLoader<RoutingRule>;
}

/** Manages the routing rules of the caller's organization and their order (specification 2.7, 4.7). */
export class RoutingRuleService {
  constructor(private readonly deps: RoutingRuleServiceDeps) {}

  /** Creates a routing rule. @throws ResourceNotFound for an unknown agent, TooManyRoutingRules */
  create({ position, conditions, actions, ...input }: RoutingRuleInput): Promise<RoutingRule> {
    const now = this.deps.clock.now();
    return this.#ordering(async (tx, rules) => {
      if (rules.length >= MAX_RULES) throw new TooManyRoutingRules(MAX_RULES);
      await checkAgent(tx, actions);
      const rule = Object.assign(new RoutingRule(), input, {
        id: newId('routingRule'),
        organizationId: this.#organizationId,
        conditions: wholeConditions(conditions ?? {}),
        actions: wholeActions(actions),
        createdAt: now,
        updatedAt: now,
      });
      place(rules, rule, position ?? rules.length + 1);
      tx.persist(rule);
      return rule;
    });
  }

  /** Returns a rule; null if the caller's organization does not have it. */
  find(id: string): Promise<RoutingRule | null> {
    return this.deps.loader.load(id);
  }

  /** Lists the rules in the order of evaluation. */
  list(page: PageInput): Promise<Page<RoutingRule>> {
    return listPage(this.deps.em, RoutingRule, { where: {}, page, defaultSort: [{ field: 'position', order: SortOrder.ASC }] });
  }

  /** Updates a routing rule. @throws ResourceNotFound for the rule or an agent */
  update(id: string, { position, conditions, actions, ...input }: RoutingRuleUpdateInput): Promise<RoutingRule> {
    return this.#ordering(async (tx, rules) => {
      const rule = found(rules, id);
      if (actions) await checkAgent(tx, actions);
      Object.assign(rule, definedOnly(input));
      if (conditions) rule.conditions = wholeConditions(conditions);
      if (actions) rule.actions = wholeActions(actions);
      if (position) place(rules, rule, position);
      rule.updatedAt = this.deps.clock.now();
      return rule;
    });
  }

  /**
   * Deletes a rule and the ticket automations that it has started.
   * @throws ResourceNotFound
   */
  delete(id: string): Promise<RoutingRule> {
    return this.#ordering(async (tx, rules) => {
      const rule = found(rules, id);
      rules.splice(rules.indexOf(rule), 1);
      number(rules);
      await tx.nativeDelete(TicketAutomation, { ruleId: id });
      tx.remove(rule);
      return rule;
    });
  }

  get #organizationId(): string {
    return this.deps.request.principal.organizationId;
  }

  /**
   * Calls `act` with all rules, sorted in the order of evaluation. A lock makes concurrent changes of an organization's
   * rules run one after the other.
   */
  #ordering<T>(act: (tx: EntityManager, rules: RoutingRule[]) => Promise<T>): Promise<T> {
    return this.deps.em.transactional(async (tx) => {
      await advisoryLock(tx, `support.routing-rules:${this.#organizationId}`);
      return act(tx, await tx.find(RoutingRule, {}, IN_ORDER));
    });
  }
}

function found(rules: readonly RoutingRule[], id: string): RoutingRule {
  const rule = rules.find((one) => one.id === id);
  return orNotFound(rule, 'routing_rule', id);
}

/**
 * Moves a rule to a position, counted from 1. If the position is greater than the number of rules, the rule moves to
 * the end.
 */
function place(rules: RoutingRule[], rule: RoutingRule, position: number): void {
  const others = rules.filter((one) => one !== rule);
  number(others.toSpliced(position - 1, 0, rule));
}

function number(rules: readonly RoutingRule[]): void {
  for (const [index, rule] of rules.entries()) rule.position = index + 1;
}

async function checkAgent(tx: EntityManager, { assignTo }: RoutingActions): Promise<void> {
  if (assignTo) orNotFound(await tx.findOne(Agent, { id: assignTo }), 'agent', assignTo);
}

/** Replaces missing properties by null or an empty list, and removes duplicates from lists. */
const wholeConditions = ({ category, priority, keywords, customerTier }: RoutingConditions): RoutingConditions => ({
  category: category ?? null,
  priority: [...new Set(priority)],
  keywords: [...new Set(keywords)],
  customerTier: customerTier ?? null,
});

const wholeActions = ({ assignTo, notify, escalateAfter, autoUpdateFrequency }: RoutingActions): RoutingActions => ({
  assignTo: assignTo ?? null,
  notify: [...new Set(notify)],
  escalateAfter: escalateAfter ?? null,
  autoUpdateFrequency: autoUpdateFrequency ?? null,
});
