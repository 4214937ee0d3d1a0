import { IsOptional, Matches, ValidateNested } from 'class-validator';
import { Field, InputType, ObjectType } from 'type-graphql';
import { Characters } from '../../../kernel/graphql/characters.ts';
import { IsMinutes } from '../working-time/is-minutes.ts';

@ObjectType({ description: 'What happens to new tickets of a subcategory.' })
@InputType('SubcategoryRoutingInput')
export class SubcategoryRouting {
  @Field(() => Boolean, {
    defaultValue: true,
    description:
      'Whether one goes to the agent of the category with the fewest unresolved tickets; else it lies with the desk until somebody takes it.',
  })
  autoAssign: boolean = true;

  @Field(() => String, {
    nullable: true,
    description: 'Working time after which an unresolved one is escalated by itself, such as `2 hours`; null leaves it to the SLA policy.',
  })
  @IsOptional()
  @IsMinutes()
  escalationThreshold: string | null = null;
}

@ObjectType('TicketSubcategory')
@InputType('TicketSubcategoryInput')
export class Subcategory {
  @Field(() => String, { description: 'What tickets name, such as `slow_speed`.' })
  @Matches(/^[a-z][a-z0-9_]{0,49}$/, { message: 'must be 1 to 50 lower case letters, digits and underscores, such as slow_speed' })
  id!: string;

  @Field(() => String)
  @Characters(1, 100)
  name!: string;

  @Field(() => SubcategoryRouting, { nullable: true, description: 'For agents: null to customers.' })
  @IsOptional()
  @ValidateNested()
  routingRules!: SubcategoryRouting | null;
}
