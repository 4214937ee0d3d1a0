import { IsIn } from 'class-validator';
import { Field, InputType } from 'type-graphql';
import { Characters } from '../../../kernel/graphql/characters.ts';
import { EmailAddress } from '../../../kernel/graphql/email-address.ts';
import { NotNull } from '../../../kernel/graphql/not-null.ts';
import { CATEGORY_IDS } from '../categories/category-ids.ts';

const EMAIL = 'must be an e-mail address';
const CATEGORY = `must be one of ${CATEGORY_IDS.join(', ')}`;

@InputType({ description: 'Agent to create.' })
export class AgentCreateInput {
  @Field(() => String, { description: 'Display name, 1 to 200 characters.' })
  @Characters(1, 200)
  name!: string;

  @Field(() => String, { description: 'E-mail address, unique in the organization ignoring case. It is stored in lower case.' })
  @EmailAddress(EMAIL)
  email!: string;

  @Field(() => String, { description: `Category whose tickets the agent gets: ${CATEGORY_IDS.join(', ')}.` })
  @IsIn(CATEGORY_IDS, { message: CATEGORY })
  specialization!: string;

  @Field(() => Boolean, { defaultValue: true, description: 'Whether the agent gets new tickets. Default: true.' })
  active: boolean = true;
}

@InputType({ description: 'Fields to change. Omit a field to keep its value.' })
export class AgentUpdateInput {
  @Field(() => String, { nullable: true, description: 'Display name, 1 to 200 characters.' })
  @NotNull()
  @Characters(1, 200)
  name?: string;

  @Field(() => String, {
    nullable: true,
    description: 'E-mail address, unique in the organization ignoring case. It is stored in lower case.',
  })
  @NotNull()
  @EmailAddress(EMAIL)
  email?: string;

  @Field(() => String, { nullable: true, description: `Category whose tickets the agent gets: ${CATEGORY_IDS.join(', ')}.` })
  @NotNull()
  @IsIn(CATEGORY_IDS, { message: CATEGORY })
  specialization?: string;

  @Field(() => Boolean, {
    nullable: true,
    description: 'Whether the agent gets new tickets. If false, the agent keeps the current tickets.',
  })
  @NotNull()
  active?: boolean;
}

@InputType({ description: 'Conditions for a list of agents. An agent must meet all of them.' })
export class AgentFilter {
  @Field(() => Boolean, { nullable: true, description: 'True returns only active agents. False returns only inactive agents.' })
  active?: boolean;

  @Field(() => [String], { nullable: true, description: 'Only agents of these categories, such as `connectivity`.' })
  specialization?: string[];
}
