import { Field, InputType } from 'type-graphql';
import { Name } from '../../../kernel/graphql/characters.ts';
import { NotNull } from '../../../kernel/graphql/not-null.ts';

@InputType({ description: 'Fields to change. Omit a field to keep its value.' })
export class OrganizationUpdateInput {
  @Field(() => String, { nullable: true, description: 'Name of the organization, 1 to 200 characters.' })
  @NotNull()
  @Name(200)
  name?: string;

  @Field(() => Boolean, {
    nullable: true,
    description: 'True if every user must set up a second factor before an operation that requires one.',
  })
  @NotNull()
  secondFactorRequired?: boolean;
}
