import { Allow, Length } from 'class-validator';
import { Field, InputType } from 'type-graphql';
import { Characters } from '../../../kernel/graphql/characters.ts';
import { EmailAddress } from '../../../kernel/graphql/email-address.ts';
import { jsonSchema } from '../../../kernel/graphql/json-schema.ts';
import { PASSWORD_MAX, PASSWORD_MIN } from './password.rules.ts';

/**
 * Schema of a new password. The rules for passwords are checked by the service, because they need the user's name and
 * address.
 */
const NEW_PASSWORD = jsonSchema({ format: 'password', minLength: PASSWORD_MIN, maxLength: PASSWORD_MAX });
const LINK_REASON = 'must be the token from the link in the mail';

@InputType({ description: 'User who has forgotten the password.' })
export class PasswordResetRequestInput {
  @Field(() => String, { description: 'E-mail address of the user.' })
  @EmailAddress()
  email!: string;
}

@InputType({ description: 'New password of an invited user, or of a user who has forgotten the password.' })
export class PasswordChoiceInput {
  @Field(() => String, { description: 'Token of the link in the e-mail.' })
  @Length(1, 200, { message: LINK_REASON })
  token!: string;

  @Field(() => String, { description: 'New password, 12 to 128 characters.' })
  @Characters(1, 1024)
  @Allow(NEW_PASSWORD)
  password!: string;
}

@InputType({ description: 'Current and new password.' })
export class PasswordChangeInput {
  @Field(() => String, { description: 'Current password of the user.' })
  @Characters(1, 1024)
  currentPassword!: string;

  @Field(() => String, { description: 'New password, 12 to 128 characters.' })
  @Characters(1, 1024)
  @Allow(NEW_PASSWORD)
  newPassword!: string;
}
