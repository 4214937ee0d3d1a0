import { Field, InputType } from 'type-graphql';
import { Name } from '../../../kernel/graphql/characters.ts';
import { NotNull } from '../../../kernel/graphql/not-null.ts';

@InputType({ description: 'What is left out stays as it is.' })
export class OrganizationUpdateInput {
  @Field(() => String, { nullable: true })
  @NotNull()
  @Name(200)
  name?: string;

  @Field(() => Boolean, { nullable: true, description: 'Whether every user must enrol a second factor before what is protected by one.' })
  @NotNull()
  secondFactorRequired?: boolean;
}
