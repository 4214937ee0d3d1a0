import { Arg, Ctx, ID, Mutation, Query, Resolver } from 'type-graphql';
import { Authenticated, Requires } from '../../../kernel/graphql/requires.ts';
import type { IdentityContext } from '../context.ts';
import { User } from '../users/user.entity.ts';
import { SmsSetupInput } from './mfa.inputs.ts';
import { MfaMethodType } from './mfa.states.ts';
import { BackupCodeSet, MfaEnrolment, TotpSetup } from './mfa.values.ts';
import { MfaMethod } from './mfa-method.entity.ts';

const ASKS = 'Asks for a second factor where one has been used before.';

@Resolver(() => MfaMethod)
export class MfaResolver {
  @Query(() => [MfaMethod], { description: "The caller's own; another user's for who may administer credentials." })
  @Authenticated()
  mfaMethods(
    @Arg('userId', () => ID, { nullable: true }) userId: string | undefined,
    @Ctx() { mfa, request }: IdentityContext,
  ): Promise<MfaMethod[]> {
    return mfa.list(request, userId ?? undefined);
  }

  @Mutation(() => TotpSetup, { description: `Enrols an authenticator: it is asked for from now on. ${ASKS}` })
  @Authenticated()
  setupTotp(@Ctx() { mfa, request }: IdentityContext): Promise<TotpSetup> {
    return mfa.setupTotp(request);
  }

  @Mutation(() => MfaEnrolment, { description: `Sends a code by SMS, to be verified. ${ASKS}` })
  @Authenticated()
  setupSms(@Arg('input', () => SmsSetupInput) { phone }: SmsSetupInput, @Ctx() { mfa, request }: IdentityContext): Promise<MfaEnrolment> {
    return mfa.setupSent(request, MfaMethodType.SMS, phone);
  }

  @Mutation(() => MfaEnrolment, { description: `Sends a code to the user's e-mail address, to be verified. ${ASKS}` })
  @Authenticated()
  setupEmail(@Ctx() { mfa, request }: IdentityContext): Promise<MfaEnrolment> {
    return mfa.setupSent(request, MfaMethodType.EMAIL);
  }

  @Mutation(() => MfaMethod, { description: "One of the caller's own." })
  @Authenticated({ secondFactor: true })
  deleteMfaMethod(@Arg('id', () => ID) id: string, @Ctx() { mfa, request }: IdentityContext): Promise<MfaMethod> {
    return mfa.remove(request, id);
  }

  @Mutation(() => BackupCodeSet, { description: 'Ten new ones; the earlier ones work no more.' })
  @Authenticated({ secondFactor: true })
  createBackupCodes(@Ctx() { mfa, request }: IdentityContext): Promise<BackupCodeSet> {
    return mfa.renewBackupCodes(request);
  }

  @Mutation(() => User, { description: 'Removes all second factors of a user who has lost them.' })
  @Requires('credentials:admin', { scope: 'organization', secondFactor: true })
  resetUserMfa(@Arg('userId', () => ID) userId: string, @Ctx() { mfa, request }: IdentityContext): Promise<User> {
    return mfa.removeAllOf(request, userId);
  }
}
