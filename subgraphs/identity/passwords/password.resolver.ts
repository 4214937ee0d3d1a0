import { Arg, Ctx, Field, Mutation, ObjectType, Resolver } from 'type-graphql';
import { Authenticated } from '../../../kernel/graphql/requires.ts';
import type { IdentityContext } from '../context.ts';
import { User } from '../users/user.entity.ts';
import { PasswordChangeInput, PasswordChoiceInput, PasswordResetRequestInput } from './password.inputs.ts';

@ObjectType({ description: 'Confirmation that a request for a new password was received.' })
export class PasswordResetRequest {
  @Field(() => Boolean, { description: 'Always true, so that the response does not reveal whether the user exists.' })
  accepted!: boolean;
}

@Resolver()
export class PasswordResolver {
  @Mutation(() => PasswordResetRequest, {
    description: 'Send a link to choose a new password, if the user exists. The response does not say whether the user exists.',
  })
  async requestPasswordReset(
    @Arg('input', () => PasswordResetRequestInput, { description: 'E-mail address of the user.' }) { email }: PasswordResetRequestInput,
    @Ctx() { passwords, client }: IdentityContext,
  ): Promise<PasswordResetRequest> {
    await passwords.requestReset(email, client);
    return { accepted: true };
  }

  @Mutation(() => User, {
    description: 'Set a password with the token of an invitation link or a reset link. Ends all sessions of the user.',
  })
  choosePassword(
    @Arg('input', () => PasswordChoiceInput, { description: 'Token of the link, and the new password.' }) {
      token,
      password,
    }: PasswordChoiceInput,
    @Ctx() { passwords, client }: IdentityContext,
  ): Promise<User> {
    return passwords.choose(token, password, client);
  }

  @Mutation(() => User, { description: 'Change your own password. Ends all your other sessions.' })
  @Authenticated({ secondFactor: true })
  changePassword(
    @Arg('input', () => PasswordChangeInput, { description: 'Current and new password.' }) {
      currentPassword,
      newPassword,
    }: PasswordChangeInput,
    @Ctx() { passwords, request }: IdentityContext,
  ): Promise<User> {
    return passwords.change(request, currentPassword, newPassword);
  }
}
