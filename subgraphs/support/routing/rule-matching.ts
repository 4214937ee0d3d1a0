import type { Ticket } from '../tickets/ticket.entity.ts';
import { KeywordMatcher } from './keyword-matcher.ts';
import type { RoutingRule } from './routing-rule.entity.ts';

/** The ticket fields that the conditions of routing rules check. */
export type RoutedTicket = Pick<Ticket, 'category' | 'priority' | 'title' | 'description'>;

type Rule = Pick<RoutingRule, 'active' | 'conditions'>;

/**
 * Returns the first rule whose conditions all match. Searches the title and the description once for the keywords of
 * all rules.
 */
export function firstMatch<R extends Rule>(rules: readonly R[], ticket: RoutedTicket, customerTier: string): R | undefined {
  const candidates = rules.filter((rule) => rule.active && holdsBesideKeywords(rule, ticket, customerTier));
  const keywords = candidates.flatMap((rule) => keywordsOf(rule).map((keyword) => [rule, keyword] as const));
  const named = keywords.length > 0 ? new KeywordMatcher(keywords).ownersIn([ticket.title, ticket.description]) : new Set<R>();
  return candidates.find((rule) => keywordsOf(rule).length === 0 || named.has(rule));
}

const keywordsOf = ({ conditions }: Rule): readonly string[] => conditions.keywords ?? [];

function holdsBesideKeywords({ conditions }: Rule, { category, priority }: RoutedTicket, customerTier: string): boolean {
  if (conditions.category && conditions.category !== category) return false;
  if (conditions.priority?.length && !conditions.priority.includes(priority)) return false;
  return !conditions.customerTier || conditions.customerTier === customerTier;
}
