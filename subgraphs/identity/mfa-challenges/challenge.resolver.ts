import { Arg, Ctx, ID, Mutation, Resolver } from 'type-graphql';
import { Authenticated } from '../../../kernel/graphql/requires.ts';
import type { IdentityContext } from '../context.ts';
import { MfaMethodType } from '../mfa/mfa.states.ts';
import { MfaVerifyInput } from './challenge.inputs.ts';
import { MfaVerification, PendingChallenge } from './challenge.values.ts';

@Resolver()
export class MfaChallengeResolver {
  @Mutation(() => PendingChallenge, {
    description:
      'Create a challenge for your second factor before an operation requires it. If the session already has a pending challenge, returns that challenge.',
  })
  @Authenticated()
  createMfaChallenge(@Ctx() { mfaChallenges, principal }: IdentityContext): Promise<PendingChallenge> {
    return mfaChallenges.create(principal);
  }

  @Mutation(() => PendingChallenge, { description: 'Send a code for a challenge by SMS or e-mail. The previous code stops working.' })
  @Authenticated()
  sendMfaCode(
    @Arg('challengeId', () => ID, { description: 'Id of the challenge (`mfac_…`).' }) challengeId: string,
    @Arg('method', () => MfaMethodType, { description: 'How to send the code: `SMS` or `EMAIL`.' }) method: MfaMethodType,
    @Ctx() { mfaChallenges, principal }: IdentityContext,
  ): Promise<PendingChallenge> {
    return mfaChallenges.send(principal, challengeId, method);
  }

  @Mutation(() => MfaVerification, {
    description:
      'Complete a challenge with a code. A correct code is valid for the session for 15 minutes. Five wrong codes end the challenge.',
  })
  @Authenticated()
  verifyMfaChallenge(
    @Arg('input', () => MfaVerifyInput, { description: 'Challenge and code.' }) input: MfaVerifyInput,
    @Ctx() { verification, request }: IdentityContext,
  ): Promise<MfaVerification> {
    return verification.verify(request, input);
  }
}
