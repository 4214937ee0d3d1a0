import { Min, ValidateNested } from 'class-validator';
import { Field, InputType, Int } from 'type-graphql';
import { Name } from '../../../kernel/graphql/characters.ts';
import { NotNull } from '../../../kernel/graphql/not-null.ts';
import { Rule } from '../../../kernel/graphql/rule.ts';
import { RoutingActions, RoutingConditions } from './routing.values.ts';

const POSITION_REASON = 'must be at least 1';

const DoesSomething = Rule<{ actions?: RoutingActions }>(({ actions }) => {
  const isIdle = actions && !(actions.assignTo || actions.notify?.length || actions.escalateAfter || actions.autoUpdateFrequency);
  return isIdle
    ? [{ field: 'actions', reason: 'must have at least one of assign_to, notify, escalate_after and auto_update_frequency' }]
    : [];
});

@InputType({ description: 'Routing rule to create.' })
@DoesSomething
export class RoutingRuleInput {
  @Field(() => String, { description: 'Name shown in lists, 1 to 200 characters.' })
  @Name(200)
  ruleName!: string;

  @Field(() => RoutingConditions, { nullable: true, description: 'Conditions that a ticket must meet. Default: every ticket matches.' })
  @ValidateNested()
  conditions?: RoutingConditions | null;

  @Field(() => RoutingActions, { description: 'Actions for tickets that match. At least one action is required.' })
  @ValidateNested()
  actions!: RoutingActions;

  @Field(() => Boolean, { defaultValue: true, description: 'Whether the rule is applied. Default: true.' })
  active: boolean = true;

  @Field(() => Int, { nullable: true, description: 'Position in the order of evaluation, from 1. Later rules move down. Default: last.' })
  @Min(1, { message: POSITION_REASON })
  position?: number | null;
}

@InputType({ description: 'Fields to change. Omit a field to keep its value.' })
@DoesSomething
export class RoutingRuleUpdateInput {
  @Field(() => String, { nullable: true, description: 'Name shown in lists, 1 to 200 characters.' })
  @NotNull()
  @Name(200)
  ruleName?: string;

  @Field(() => RoutingConditions, { nullable: true, description: 'Conditions that a ticket must meet. Replaces all conditions.' })
  @NotNull()
  @ValidateNested()
  conditions?: RoutingConditions;

  @Field(() => RoutingActions, {
    nullable: true,
    description: 'Actions for tickets that match. Replaces all actions. The new actions apply to tickets that are created afterwards.',
  })
  @NotNull()
  @ValidateNested()
  actions?: RoutingActions;

  @Field(() => Boolean, { nullable: true, description: 'Whether the rule is applied. If false, its scheduled actions have no effect.' })
  @NotNull()
  active?: boolean;

  @Field(() => Int, { nullable: true, description: 'New position, from 1. The other rules keep their order.' })
  @NotNull()
  @Min(1, { message: POSITION_REASON })
  position?: number;
}
