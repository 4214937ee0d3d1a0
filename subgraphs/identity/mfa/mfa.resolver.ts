import { Arg, Ctx, ID, Mutation, Query, Resolver } from 'type-graphql';
import { Authenticated, Requires } from '../../../kernel/graphql/requires.ts';
import type { IdentityContext } from '../context.ts';
import { User } from '../users/user.entity.ts';
import { SmsSetupInput } from './mfa.inputs.ts';
import { MfaMethodType } from './mfa.states.ts';
import { BackupCodeSet, MfaEnrolment, TotpSetup } from './mfa.values.ts';
import { MfaMethod } from './mfa-method.entity.ts';

@Resolver(() => MfaMethod)
export class MfaResolver {
  @Query(() => [MfaMethod], {
    description: 'List your own second factors. With `credentials:admin`, you can list the second factors of another user.',
  })
  @Authenticated()
  mfaMethods(
    @Arg('userId', () => ID, { nullable: true, description: 'Id of the user (`user_…`). Default: the caller.' }) userId: string | undefined,
    @Ctx() { mfa, request }: IdentityContext,
  ): Promise<MfaMethod[]> {
    return mfa.list(request, userId ?? undefined);
  }

  @Mutation(() => TotpSetup, {
    description:
      'Set up an authenticator app as your second factor. The second factor is required from now on. If you already use a second factor, you must verify it first.',
  })
  @Authenticated()
  setupTotp(@Ctx() { mfa, request }: IdentityContext): Promise<TotpSetup> {
    return mfa.setupTotp(request);
  }

  @Mutation(() => MfaEnrolment, {
    description:
      'Set up SMS as your second factor. Sends a code, which `verifyMfaChallenge` confirms. If you already use a second factor, you must verify it first.',
  })
  @Authenticated()
  setupSms(
    @Arg('input', () => SmsSetupInput, { description: 'Mobile number to use.' }) { phone }: SmsSetupInput,
    @Ctx() { mfa, request }: IdentityContext,
  ): Promise<MfaEnrolment> {
    return mfa.setupSent(request, MfaMethodType.SMS, phone);
  }

  @Mutation(() => MfaEnrolment, {
    description:
      'Set up e-mail as your second factor. Sends a code, which `verifyMfaChallenge` confirms. If you already use a second factor, you must verify it first.',
  })
  @Authenticated()
  setupEmail(@Ctx() { mfa, request }: IdentityContext): Promise<MfaEnrolment> {
    return mfa.setupSent(request, MfaMethodType.EMAIL);
  }

  @Mutation(() => MfaMethod, { description: 'Delete one of your own second factors. Returns the deleted record.' })
  @Authenticated({ secondFactor: true })
  deleteMfaMethod(@Arg('id', () => ID) id: string, @Ctx() { mfa, request }: IdentityContext): Promise<MfaMethod> {
    return mfa.remove(request, id);
  }

  @Mutation(() => BackupCodeSet, { description: 'Create ten new backup codes. Earlier backup codes stop working.' })
  @Authenticated({ secondFactor: true })
  createBackupCodes(@Ctx() { mfa, request }: IdentityContext): Promise<BackupCodeSet> {
    return mfa.renewBackupCodes(request);
  }

  @Mutation(() => User, { description: 'Delete all second factors of a user who has lost them.' })
  @Requires('credentials:admin', { scope: 'organization', secondFactor: true })
  resetUserMfa(
    @Arg('userId', () => ID, { description: 'Id of the user (`user_…`).' }) userId: string,
    @Ctx() { mfa, request }: IdentityContext,
  ): Promise<User> {
    return mfa.removeAllOf(request, userId);
  }
}
