import type { EntityManager } from '../../../kernel/database/database.ts';
import { ReferenceData } from '../../../kernel/records/reference-data.ts';
import { Agent } from '../agents/agent.entity.ts';
import { type Category, categoriesOf } from '../categories/category.ts';
import { RoutingRule } from './routing-rule.entity.ts';

/** What an organization's new tickets go by (migration 0015-reference-data counts its changes). */
export interface Desk {
  readonly categories: readonly Category[];
  /** Those that are active, in their order. */
  readonly rules: readonly RoutingRule[];
  /** Those who are active; none where the organization has opened no desk yet. */
  readonly agents: readonly Agent[];
}

export const desks = (): ReferenceData<Desk> =>
  new ReferenceData(async (em: EntityManager) => ({
    categories: await categoriesOf(em),
    rules: await em.find(RoutingRule, { active: true }, { orderBy: { position: 'asc', id: 'asc' } }),
    agents: await em.find(Agent, { active: true }, { orderBy: { id: 'asc' } }),
  }));
