import { Entity, Index, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { Field, ID, Int, ObjectType } from 'type-graphql';
import { OrganizationFilter } from '../../../kernel/records/organization-filter.ts';
import { RoutingActions, RoutingConditions } from './routing.values.ts';

/**
 * A rule for new tickets (specification 2.7). Rules are evaluated by ascending `position`, and only the first rule that
 * matches is applied.
 */
@ObjectType({
  description: 'A rule for new tickets. Rules are evaluated in order of position, and the first rule that matches is applied.',
})
@Entity({ tableName: 'routing_rule' })
@OrganizationFilter()
@Index({ properties: ['organizationId', 'position'] })
export class RoutingRule {
  @Field(() => ID)
  @PrimaryKey({ type: 'text' })
  id!: string;

  @Property({ type: 'text' })
  organizationId!: string;

  @Field(() => String, { description: 'Name shown in lists, 1 to 200 characters.' })
  @Property({ type: 'text' })
  ruleName!: string;

  @Field(() => Int, { description: 'Position in the order of evaluation, from 1, without gaps.' })
  @Property({ type: 'integer' })
  position!: number;

  @Field(() => RoutingConditions, { description: 'Conditions that a ticket must meet.' })
  @Property({ type: 'json' })
  conditions!: RoutingConditions;

  @Field(() => RoutingActions, { description: 'Actions for tickets that match.' })
  @Property({ type: 'json' })
  actions!: RoutingActions;

  @Field(() => Boolean, {
    description: 'False if the rule matches no tickets. Its scheduled actions on earlier tickets have no effect either.',
  })
  @Property({ type: 'boolean' })
  active = true;

  @Field(() => Date)
  @Property({ type: 'datetime', length: 3 })
  createdAt!: Date;

  @Field(() => Date)
  @Property({ type: 'datetime', length: 3 })
  updatedAt!: Date;
}
