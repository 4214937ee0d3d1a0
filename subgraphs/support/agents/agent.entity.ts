import { Entity, PrimaryKey, Property, Unique } from '@mikro-orm/decorators/legacy';
import { OrganizationFilter } from '../../../kernel/organization.filter.ts';

/** Somebody, or a desk, who works on tickets of a category (`specialization`). */
@Entity({ tableName: 'agent' })
@OrganizationFilter()
@Unique({ properties: ['organizationId', 'email'] })
export class Agent {
  @PrimaryKey({ type: 'text' })
  id!: string;

  @Property({ type: 'text' })
  organizationId!: string;

  @Property({ type: 'text' })
  name!: string;

  @Property({ type: 'text' })
  email!: string;

  /** A category id. */
  @Property({ type: 'text' })
  specialization!: string;

  @Property({ type: 'datetime', length: 3 })
  createdAt!: Date;
}
