import { Allow, Length } from 'class-validator';
import { Field, InputType } from 'type-graphql';
import { Characters } from '../../../kernel/graphql/characters.ts';
import { EmailAddress } from '../../../kernel/graphql/email-address.ts';
import { jsonSchema } from '../../../kernel/graphql/json-schema.ts';
import { PASSWORD_MAX, PASSWORD_MIN } from './password.rules.ts';

/** Checked by the service, which also knows whose it is. */
const NEW_PASSWORD = jsonSchema({ format: 'password', minLength: PASSWORD_MIN, maxLength: PASSWORD_MAX });
const LINK_REASON = 'must be the token of the link';

@InputType()
export class PasswordResetRequestInput {
  @Field(() => String)
  @EmailAddress()
  email!: string;
}

@InputType()
export class PasswordChoiceInput {
  @Field(() => String, { description: 'Of the link in the mail.' })
  @Length(1, 200, { message: LINK_REASON })
  token!: string;

  @Field(() => String, { description: '12 to 128 characters.' })
  @Characters(1, 1024)
  @Allow(NEW_PASSWORD)
  password!: string;
}

@InputType()
export class PasswordChangeInput {
  @Field(() => String)
  @Characters(1, 1024)
  currentPassword!: string;

  @Field(() => String, { description: '12 to 128 characters.' })
  @Characters(1, 1024)
  @Allow(NEW_PASSWORD)
  newPassword!: string;
}
