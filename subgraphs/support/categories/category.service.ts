import type { Clock } from '../../../kernel/clock.ts';
import type { EntityManager } from '../../../kernel/database/database.ts';
import { ResourceNotFound } from '../../../kernel/errors/errors.ts';
import { newId } from '../../../kernel/records/ids.ts';
import { definedOnly, LOCKED, orNotFound } from '../../../kernel/records/records.ts';
import { SlaPolicy } from '../sla-policies/sla-policy.entity.ts';
import type { TicketCategoryUpdateInput } from './category.inputs.ts';
import { type Category, categoriesOf, categoryOf } from './category.ts';
import type { Subcategory } from './category.values.ts';
import { CATEGORY_IDS, type CategoryId } from './category-ids.ts';
import { CategoryOverride } from './category-override.entity.ts';

export interface CategoryServiceDeps {
  em: EntityManager;
  organizationId: string;
  clock: Clock;
}

/** Manages the ticket categories of the caller's organization (specification 2.7, 4.7). */
export class CategoryService {
  constructor(private readonly deps: CategoryServiceDeps) {}

  list(): Promise<Category[]> {
    return categoriesOf(this.deps.em);
  }

  /**
   * Updates a category.
   * @throws ResourceNotFound for an unknown category, or an SLA policy that the organization does not have
   */
  async update(id: string, input: TicketCategoryUpdateInput): Promise<Category> {
    if (!isCategory(id)) throw new ResourceNotFound('ticket_category', id);
    const { em, organizationId, clock } = this.deps;
    return em.transactional(async (tx) => {
      const { slaPolicyId } = input;
      if (slaPolicyId) orNotFound(await tx.findOne(SlaPolicy, { id: slaPolicyId }), 'sla_policy', slaPolicyId);
      const none = { id: newId('categoryOverride'), organizationId, category: id, updatedAt: clock.now() };
      // a concurrent transaction may have created the same row
      await tx.upsertMany(CategoryOverride, [none], { onConflictFields: ['organizationId', 'category'], onConflictAction: 'ignore' });
      const override = await tx.findOneOrFail(CategoryOverride, { category: id }, LOCKED);
      Object.assign(override, definedOnly(input), { updatedAt: clock.now() });
      if (input.subcategories) override.subcategories = input.subcategories.map(withRouting);
      await tx.flush();
      return categoryOf(tx, id);
    });
  }
}

const isCategory = (id: string): id is CategoryId => CATEGORY_IDS.some((known) => known === id);

const withRouting = ({ id, name, routingRules }: Subcategory): Subcategory => ({
  id,
  name,
  routingRules: { autoAssign: routingRules?.autoAssign ?? true, escalationThreshold: routingRules?.escalationThreshold ?? null },
});
