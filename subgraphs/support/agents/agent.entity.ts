import { Entity, Index, PrimaryKey, Property, Unique } from '@mikro-orm/decorators/legacy';
import { Field, ID, ObjectType } from 'type-graphql';
import { OrganizationFilter } from '../../../kernel/records/organization-filter.ts';

/**
 * An agent for the tickets of one category (`specialization`). An agent is a person, or the desk of the category, which
 * holds tickets that no person has taken yet.
 */
@ObjectType({ description: 'A person or desk that works on tickets of one category.' })
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

  @Field(() => String, { description: 'Display name, 1 to 200 characters.' })
  @Property({ type: 'text' })
  name!: string;

  /**
   * E-mail address in lower case. A user with the same address acts as this agent; addresses of users are in lower case
   * too.
   */
  @Field(() => String, { description: 'E-mail address, unique in the organization.' })
  @Property({ type: 'text' })
  email!: string;

  @Field(() => String, { description: 'Id of the category whose tickets the agent gets, such as `connectivity`.' })
  @Property({ type: 'text' })
  specialization!: string;

  @Field(() => Boolean, { description: 'False if the agent gets no new tickets. The agent keeps the current tickets.' })
  @Property({ type: 'boolean' })
  active = true;

  @Field(() => Boolean, {
    description: 'True for the desk of a category, which holds tickets without an assigned person. False for a person.',
  })
  @Property({ type: 'boolean' })
  desk = false;

  @Field(() => Date)
  @Property({ type: 'datetime', length: 3 })
  createdAt!: Date;
}
