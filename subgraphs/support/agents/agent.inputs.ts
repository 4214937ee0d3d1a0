import { IsEmail, IsIn, IsOptional, IsTimeZone, Length } from 'class-validator';
import { Field, InputType } from 'type-graphql';
import { NotNull } from '../../../kernel/graphql/not-null.ts';
import { CATEGORY_IDS } from '../categories/category.ids.ts';

const NAME = 'must have 1 to 200 characters';
const EMAIL = 'must be an e-mail address';
const CATEGORY = `must be one of ${CATEGORY_IDS.join(', ')}`;
const ZONE = 'must be an IANA time zone such as America/New_York';

@InputType()
export class AgentCreateInput {
  @Field(() => String)
  @Length(1, 200, { message: NAME })
  name!: string;

  @Field(() => String, { description: 'Unique in the organization.' })
  @IsEmail({}, { message: EMAIL })
  email!: string;

  @Field(() => String, { description: `The category whose tickets go to them: one of ${CATEGORY_IDS.join(', ')}.` })
  @IsIn(CATEGORY_IDS, { message: CATEGORY })
  specialization!: string;

  @Field(() => Boolean, { defaultValue: true, description: 'Whether they get tickets.' })
  active: boolean = true;

  @Field(() => String, { nullable: true, description: 'IANA zone in which they work.' })
  @IsOptional()
  @IsTimeZone({ message: ZONE })
  timezone?: string | null;
}

@InputType({ description: 'What is left out stays as it is.' })
export class AgentUpdateInput {
  @Field(() => String, { nullable: true })
  @NotNull()
  @Length(1, 200, { message: NAME })
  name?: string;

  @Field(() => String, { nullable: true })
  @NotNull()
  @IsEmail({}, { message: EMAIL })
  email?: string;

  @Field(() => String, { nullable: true })
  @NotNull()
  @IsIn(CATEGORY_IDS, { message: CATEGORY })
  specialization?: string;

  @Field(() => Boolean, { nullable: true, description: 'Who is not active gets no tickets; those that they have stay with them.' })
  @NotNull()
  active?: boolean;

  @Field(() => String, { nullable: true })
  @IsOptional()
  @IsTimeZone({ message: ZONE })
  timezone?: string | null;
}

@InputType()
export class AgentFilter {
  @Field(() => Boolean, { nullable: true })
  active?: boolean;

  @Field(() => [String], { nullable: true, description: 'Category ids.' })
  specialization?: string[];
}
