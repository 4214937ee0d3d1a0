import type { EntityManager } from '../../../kernel/database/database.ts';
import { ReferenceData } from '../../../kernel/records/reference-data.ts';
import { Agent } from '../agents/agent.entity.ts';
import { type Category, categoriesOf } from '../categories/category.ts';
import { RoutingRule } from './routing-rule.entity.ts';

/**
 * Data of an organization that ticket creation needs. ReferenceData caches this data. The triggers of migration
 * 0015-reference-data count its changes.
 */
export interface Desk {
  readonly categories: readonly Category[];
  /** Active rules, in order. */
  readonly rules: readonly RoutingRule[];
  /** Active agents. Empty before the organization's desk agents are created. */
  readonly agents: readonly Agent[];
}

export const desks = (): ReferenceData<Desk> =>
  new ReferenceData(async (em: EntityManager) => ({
    categories: await categoriesOf(em),
    rules: await em.find(RoutingRule, { active: true }, { orderBy: { position: 'asc', id: 'asc' } }),
    agents: await em.find(Agent, { active: true }, { orderBy: { id: 'asc' } }),
  }));
