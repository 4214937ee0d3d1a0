import { IsEmail, Length } from 'class-validator';
import { Field, InputType } from 'type-graphql';

const LINK_REASON = 'must be the token of the link';
const GIVEN = 'must have 1 to 1024 characters';

@InputType()
export class PasswordResetRequestInput {
  @Field(() => String)
  @IsEmail({}, { message: 'must be an e-mail address' })
  email!: string;
}

@InputType()
export class PasswordChoiceInput {
  @Field(() => String, { description: 'Of the link in the mail.' })
  @Length(1, 200, { message: LINK_REASON })
  token!: string;

  @Field(() => String, { description: '12 to 128 characters.' })
  @Length(1, 1024, { message: GIVEN })
  password!: string;
}

@InputType()
export class PasswordChangeInput {
  @Field(() => String)
  @Length(1, 1024, { message: GIVEN })
  currentPassword!: string;

  @Field(() => String, { description: '12 to 128 characters.' })
  @Length(1, 1024, { message: GIVEN })
  newPassword!: string;
}
