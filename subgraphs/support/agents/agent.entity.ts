import { Entity, Index, PrimaryKey, Property, Unique } from '@mikro-orm/decorators/legacy';
import { Field, ID, ObjectType } from 'type-graphql';
import { OrganizationFilter } from '../../../kernel/records/organization-filter.ts';

/** A person or a desk that works on tickets of one category (`specialization`). */
@ObjectType({ description: 'Somebody, or a desk, who works on tickets of a category.' })
@Entity({ tableName: 'agent' })
@OrganizationFilter()
@Unique({ properties: ['organizationId', 'email'] })
@Index({ properties: ['organizationId', 'createdAt', 'id'] })
export class Agent {
  @Field(() => ID)
  @PrimaryKey({ type: 'text' })
  id!: string;

  @Property({ type: 'text' })
  organizationId!: string;

  @Field(() => String)
  @Property({ type: 'text' })
  name!: string;

  /** In lower case, like the addresses of users. The user with this address is this agent. */
  @Field(() => String)
  @Property({ type: 'text' })
  email!: string;

  @Field(() => String, { description: 'The id of the category whose tickets go to them.' })
  @Property({ type: 'text' })
  specialization!: string;

  @Field(() => Boolean, { description: 'Whether they get tickets. Those that they have stay with them.' })
  @Property({ type: 'boolean' })
  active = true;

  @Field(() => Boolean, {
    description: 'Whether it is the desk of its category, where tickets lie that nobody is assigned to, and no person.',
  })
  @Property({ type: 'boolean' })
  desk = false;

  @Field(() => Date)
  @Property({ type: 'datetime', length: 3 })
  createdAt!: Date;
}
