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
    description:
      'True if operations that require a second factor require it from every user. Users without a second factor must first set it up. False if these operations require it only from users who have set it up.',
  })
  @NotNull()
  secondFactorRequired?: boolean;
}
