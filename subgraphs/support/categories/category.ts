import type { Plan } from '../../../kernel/access/principal.ts';
import type { EntityManager } from '../../../kernel/database/database.ts';
import { InvalidParameters } from '../../../kernel/errors/errors.ts';
import type { SlaPromise } from '../sla/sla-terms.ts';
import { builtInPromise } from '../sla-policies/sla-built-in.ts';
import { SlaPolicy } from '../sla-policies/sla-policy.entity.ts';
import { parseMinutes } from '../working-time/durations.ts';
import type { Subcategory } from './category.values.ts';
import { CATEGORY_DEFAULTS } from './category-defaults.ts';
import { CATEGORY_IDS, type CategoryId } from './category-ids.ts';
import { CategoryOverride } from './category-override.entity.ts';

/**
 * A category of one organization. Its properties are the platform's defaults, unless the organization has changed them.
 */
export class Category {
  readonly name: string;
  readonly description: string;
  readonly subcategories: readonly Subcategory[];

  constructor(
    readonly id: CategoryId,
    override?: CategoryOverride,
    readonly policy?: SlaPolicy,
  ) {
    const { name, description, subcategories } = CATEGORY_DEFAULTS[id];
    this.name = override?.name ?? name;
    this.description = override?.description ?? description;
    this.subcategories = override?.subcategories ?? subcategories;
  }

  get slaPolicyId(): string | null {
    return this.policy?.id ?? null;
  }

  promise(plan: Plan): SlaPromise {
    return this.policy ?? builtInPromise(plan, this.id);
  }

  /**
   * Returns whether new tickets are assigned to the least busy agent. If not, they are assigned to the desk agent of
   * the category.
   */
  isAssigned(subcategory: string | null | undefined): boolean {
    return this.#subcategory(subcategory)?.routingRules?.autoAssign ?? true;
  }

  /** Returns the minutes after which a ticket is escalated automatically; null if the SLA policy determines the time of escalation. */
  escalationThreshold(subcategory: string | null): number | null {
    const threshold = this.#subcategory(subcategory)?.routingRules?.escalationThreshold;
    return threshold ? parseMinutes(threshold) : null;
  }

  has(subcategory: string): boolean {
    return this.#subcategory(subcategory) !== undefined;
  }

  #subcategory(id: string | null | undefined): Subcategory | undefined {
    return this.subcategories.find((one) => one.id === id);
  }
}

/** Lists the categories of an organization. `em` must be limited to this organization, as by `organizationEm`. */
export async function categoriesOf(em: EntityManager): Promise<Category[]> {
  const overrides = await em.find(CategoryOverride, {});
  const ids = overrides.flatMap(({ slaPolicyId }) => slaPolicyId ?? []);
  const policies = ids.length === 0 ? [] : await em.find(SlaPolicy, { id: { $in: ids } });
  return CATEGORY_IDS.map((id) => {
    const override = overrides.find(({ category }) => category === id);
    return new Category(
      id,
      override,
      policies.find((policy) => policy.id === override?.slaPolicyId),
    );
  });
}

export async function categoryOf(em: EntityManager, id: string): Promise<Category> {
  const category = (await categoriesOf(em)).find((one) => one.id === id);
  if (!category) throw new Error(`Unknown category ${id}.`);
  return category;
}

/**
 * Returns the category of a new ticket. The subcategory may be any text, but not the id of a subcategory that only
 * other categories have.
 * @throws InvalidParameters
 */
export function categoryFor(categories: readonly Category[], id: string, subcategory: string | null | undefined): Category {
  const category = categories.find((one) => one.id === id) as Category;
  if (subcategory && !category.has(subcategory)) {
    const others = categories.filter((one) => one.has(subcategory)).map((one) => one.id);
    if (others.length > 0) {
      const reason = `is a subcategory of ${others.join(' and ')}, not of ${id}`;
      throw new InvalidParameters([{ field: 'subcategory', value: subcategory, reason }]);
    }
  }
  return category;
}
