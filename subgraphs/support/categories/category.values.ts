import { IsOptional, Matches, ValidateNested } from 'class-validator';
import { Field, InputType, ObjectType } from 'type-graphql';
import { Characters } from '../../../kernel/graphql/characters.ts';
import { IsMinutes } from '../working-time/is-minutes.ts';

@ObjectType({ description: 'Handling of new tickets of a subcategory.' })
@InputType('SubcategoryRoutingInput', { description: 'Handling of new tickets of a subcategory.' })
export class SubcategoryRouting {
  @Field(() => Boolean, {
    defaultValue: true,
    description:
      'True assigns a new ticket to the agent of the category with the fewest unresolved tickets. False assigns it to the desk of the category.',
  })
  autoAssign: boolean = true;

  @Field(() => String, {
    nullable: true,
    description: 'Working time after which an unresolved ticket is escalated, such as `2 hours`. If it is null, the SLA policy applies.',
  })
  @IsOptional()
  @IsMinutes()
  escalationThreshold: string | null = null;
}

@ObjectType('TicketSubcategory', { description: 'A subcategory of tickets.' })
@InputType('TicketSubcategoryInput', { description: 'A subcategory of tickets.' })
export class Subcategory {
  @Field(() => String, {
    description: 'Identifier that tickets use, such as `slow_speed`: 1 to 50 lower-case letters, digits and underscores.',
  })
  @Matches(/^[a-z][a-z0-9_]{0,49}$/, { message: 'must be 1 to 50 lower case letters, digits and underscores, such as slow_speed' })
  id!: string;

  @Field(() => String, { description: 'Display name, 1 to 100 characters.' })
  @Characters(1, 100)
  name!: string;

  @Field(() => SubcategoryRouting, {
    nullable: true,
    description: 'Handling of new tickets. Shown to callers with `support:write`; null for others.',
  })
  @IsOptional()
  @ValidateNested()
  routingRules!: SubcategoryRouting | null;
}
