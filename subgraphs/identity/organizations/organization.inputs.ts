import { Length, Matches } from 'class-validator';
import { Field, InputType } from 'type-graphql';
import { NotNull } from '../../../kernel/graphql/not-null.ts';

@InputType({ description: 'What is left out stays as it is.' })
export class OrganizationUpdateInput {
  @Field(() => String, { nullable: true })
  @NotNull()
  @Length(1, 200, { message: 'must have 1 to 200 characters' })
  @Matches(/\S/, { message: 'must not be blank' })
  name?: string;

  @Field(() => Boolean, { nullable: true, description: 'Whether every user must enrol a second factor before what is protected by one.' })
  @NotNull()
  secondFactorRequired?: boolean;
}
