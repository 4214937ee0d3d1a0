import { Length, MaxLength } from 'class-validator';
import { Field, InputType } from 'type-graphql';

@InputType()
export class LoginInput {
  @Field(() => String)
  @Length(1, 320, { message: 'must have 1 to 320 characters' })
  email!: string;

  @Field(() => String)
  @Length(1, 1024, { message: 'must have 1 to 1024 characters' })
  password!: string;
}

@InputType()
export class RefreshInput {
  @Field(() => String)
  @MaxLength(200, { message: 'must have at most 200 characters' })
  refreshToken!: string;
}
