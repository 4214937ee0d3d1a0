import { IsIn } from 'class-validator';
import { Field, InputType } from 'type-graphql';
import { Characters } from '../../../kernel/graphql/characters.ts';
import { EmailAddress } from '../../../kernel/graphql/email-address.ts';
import { NotNull } from '../../../kernel/graphql/not-null.ts';
import { CATEGORY_IDS } from '../categories/category-ids.ts';

const EMAIL = 'must be an e-mail address';
const CATEGORY = `must be one of ${CATEGORY_IDS.join(', ')}`;

@InputType()
export class AgentCreateInput {
  @Field(() => String)
  @Characters(1, 200)
  name!: string;

  @Field(() => String, { description: 'Unique in the organization, whatever its case; kept in lower case.' })
  @EmailAddress(EMAIL)
  email!: string;

  @Field(() => String, { description: `The category whose tickets go to them: one of ${CATEGORY_IDS.join(', ')}.` })
  @IsIn(CATEGORY_IDS, { message: CATEGORY })
  specialization!: string;

  @Field(() => Boolean, { defaultValue: true, description: 'Whether they get tickets.' })
  active: boolean = true;
}

@InputType({ description: 'What is left out stays as it is.' })
export class AgentUpdateInput {
  @Field(() => String, { nullable: true })
  @NotNull()
  @Characters(1, 200)
  name?: string;

  @Field(() => String, { nullable: true })
  @NotNull()
  @EmailAddress(EMAIL)
  email?: string;

  @Field(() => String, { nullable: true })
  @NotNull()
  @IsIn(CATEGORY_IDS, { message: CATEGORY })
  specialization?: string;

  @Field(() => Boolean, { nullable: true, description: 'Who is not active gets no tickets; those that they have stay with them.' })
  @NotNull()
  active?: boolean;
}

@InputType()
export class AgentFilter {
  @Field(() => Boolean, { nullable: true })
  active?: boolean;

  @Field(() => [String], { nullable: true, description: 'Category ids.' })
  specialization?: string[];
}
