import type { EntityManager } from '../../../kernel/database/database.ts';
import { ReferenceData } from '../../../kernel/records/reference-data.ts';
import { Agent } from '../agents/agent.entity.ts';
import { type Category, categoriesOf } from '../categories/category.ts';
import { RoutingRule } from './routing-rule.entity.ts';

/**
 * Reference data that is needed to create a ticket in an organization. `ReferenceData` caches it. The triggers of
 * migration 0015-reference-data count the changes of the data, so that outdated data is noticed.
 */
export interface Desk {
  readonly categories: readonly Category[];
  /** Active routing rules, by ascending position. */
  readonly rules: readonly RoutingRule[];
  /** Active agents: people, and the desk agents of the categories. Empty before the desk agents are created. */
  readonly agents: readonly Agent[];
}

export const desks = (): ReferenceData<Desk> =>
  new ReferenceData(async (em: EntityManager) => ({
    categories: await categoriesOf(em),
    rules: await em.find(RoutingRule, { active: true }, { orderBy: { position: 'asc', id: 'asc' } }),
    agents: await em.find(Agent, { active: true }, { orderBy: { id: 'asc' } }),
  }));
