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

@InputType()
@DoesSomething
export class RoutingRuleInput {
  @Field(() => String)
  @Name(200)
  ruleName!: string;

  @Field(() => RoutingConditions, { nullable: true, description: 'Default: none, so that every ticket matches.' })
  @ValidateNested()
  conditions?: RoutingConditions | null;

  @Field(() => RoutingActions)
  @ValidateNested()
  actions!: RoutingActions;

  @Field(() => Boolean, { defaultValue: true })
  active: boolean = true;

  @Field(() => Int, { nullable: true, description: 'Its place among the rules, from 1; those behind move on. Default: the last.' })
  @Min(1, { message: POSITION_REASON })
  position?: number | null;
}

@InputType({ description: 'What is left out stays as it is.' })
@DoesSomething
export class RoutingRuleUpdateInput {
  @Field(() => String, { nullable: true })
  @NotNull()
  @Name(200)
  ruleName?: string;

  @Field(() => RoutingConditions, { nullable: true, description: 'Replaces the conditions.' })
  @NotNull()
  @ValidateNested()
  conditions?: RoutingConditions;

  @Field(() => RoutingActions, { nullable: true, description: 'Replaces the actions, for tickets that are opened from then on.' })
  @NotNull()
  @ValidateNested()
  actions?: RoutingActions;

  @Field(() => Boolean, { nullable: true })
  @NotNull()
  active?: boolean;

  @Field(() => Int, { nullable: true, description: 'Moves it there; the others keep their order.' })
  @NotNull()
  @Min(1, { message: POSITION_REASON })
  position?: number;
}
