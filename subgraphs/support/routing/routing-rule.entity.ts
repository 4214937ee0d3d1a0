import { Entity, Index, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { Field, ID, Int, ObjectType } from 'type-graphql';
import { OrganizationFilter } from '../../../kernel/records/organization-filter.ts';
import { RoutingActions, RoutingConditions } from './routing.values.ts';

/** A rule for new tickets (specification 2.7). Rules are evaluated in order, and the first match applies. */
@ObjectType({ description: 'What is done about new tickets of a kind. Rules are asked in their order, and the first that matches counts.' })
@Entity({ tableName: 'routing_rule' })
@OrganizationFilter()
@Index({ properties: ['organizationId', 'position'] })
export class RoutingRule {
  @Field(() => ID)
  @PrimaryKey({ type: 'text' })
  id!: string;

  @Property({ type: 'text' })
  organizationId!: string;

  @Field(() => String)
  @Property({ type: 'text' })
  ruleName!: string;

  @Field(() => Int, { description: 'From 1, without gaps.' })
  @Property({ type: 'integer' })
  position!: number;

  @Field(() => RoutingConditions)
  @Property({ type: 'json' })
  conditions!: RoutingConditions;

  @Field(() => RoutingActions)
  @Property({ type: 'json' })
  actions!: RoutingActions;

  @Field(() => Boolean, { description: 'While it is not, no ticket is matched, and what it had going on passes without effect.' })
  @Property({ type: 'boolean' })
  active = true;

  @Field(() => Date)
  @Property({ type: 'datetime', length: 3 })
  createdAt!: Date;

  @Field(() => Date)
  @Property({ type: 'datetime', length: 3 })
  updatedAt!: Date;
}
