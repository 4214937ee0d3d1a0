import { Entity, PrimaryKey, Property, Unique } from '@mikro-orm/decorators/legacy';
import { OrganizationFilter } from '../../../kernel/records/organization-filter.ts';
import type { Subcategory } from './category.values.ts';
import type { CategoryId } from './category-ids.ts';

/**
 * The properties of a category that an organization has changed. If a property is null, the platform's default applies.
 */
@Entity({ tableName: 'category_override' })
@OrganizationFilter()
@Unique({ properties: ['organizationId', 'category'] })
export class CategoryOverride {
  @PrimaryKey({ type: 'text' })
  id!: string;

  @Property({ type: 'text' })
  organizationId!: string;

  @Property({ type: 'text' })
  category!: CategoryId;

  @Property({ type: 'text', nullable: true })
  name: string | null = null;

  @Property({ type: 'text', nullable: true })
  description: string | null = null;

  @Property({ type: 'text', nullable: true })
  slaPolicyId: string | null = null;

  @Property({ type: 'json', nullable: true })
  subcategories: Subcategory[] | null = null;

  @Property({ type: 'datetime', length: 3 })
  updatedAt!: Date;
}
