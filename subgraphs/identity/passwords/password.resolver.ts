import { Arg, Ctx, Field, Mutation, ObjectType, Resolver } from 'type-graphql';
import { Authenticated } from '../../../kernel/graphql/requires.ts';
import type { IdentityContext } from '../context.ts';
import { User } from '../users/user.entity.ts';
import { PasswordChangeInput, PasswordChoiceInput, PasswordResetRequestInput } from './password.inputs.ts';

@ObjectType()
export class PasswordResetRequest {
  @Field(() => Boolean, { description: 'Always true: whether there is such a user is not told.' })
  accepted!: boolean;
}

@Resolver()
export class PasswordResolver {
  @Mutation(() => PasswordResetRequest, { description: 'Mails a link to choose a new password. Needs no credentials.' })
  async requestPasswordReset(
    @Arg('input', () => PasswordResetRequestInput) { email }: PasswordResetRequestInput,
    @Ctx() { passwords, client }: IdentityContext,
  ): Promise<PasswordResetRequest> {
    await passwords.requestReset(email, client);
    return { accepted: true };
  }

  @Mutation(() => User, {
    description: 'By the link of an invitation or reset. Needs no credentials but that. Ends all sessions of the user.',
  })
  choosePassword(
    @Arg('input', () => PasswordChoiceInput) { token, password }: PasswordChoiceInput,
    @Ctx() { passwords, client }: IdentityContext,
  ): Promise<User> {
    return passwords.choose(token, password, client);
  }

  @Mutation(() => User, { description: "The caller's own. Ends their other sessions." })
  @Authenticated({ secondFactor: true })
  changePassword(
    @Arg('input', () => PasswordChangeInput) { currentPassword, newPassword }: PasswordChangeInput,
    @Ctx() { passwords, request }: IdentityContext,
  ): Promise<User> {
    return passwords.change(request, currentPassword, newPassword);
  }
}
