import { Arg, Ctx, ID, Mutation, Resolver } from 'type-graphql';
import { Authenticated } from '../../../kernel/graphql/requires.ts';
import type { IdentityContext } from '../context.ts';
import { MfaMethodType } from '../mfa/mfa.states.ts';
import { MfaVerifyInput } from './challenge.inputs.ts';
import { MfaVerification, PendingChallenge } from './challenge.values.ts';

@Resolver()
export class MfaChallengeResolver {
  @Mutation(() => PendingChallenge, { description: 'A challenge ahead of need; the pending one of the session where there is one.' })
  @Authenticated()
  createMfaChallenge(@Ctx() { mfaChallenges, principal }: IdentityContext): Promise<PendingChallenge> {
    return mfaChallenges.create(principal);
  }

  @Mutation(() => PendingChallenge, { description: 'Sends a code by SMS or e-mail. The code before works no more.' })
  @Authenticated()
  sendMfaCode(
    @Arg('challengeId', () => ID) challengeId: string,
    @Arg('method', () => MfaMethodType) method: MfaMethodType,
    @Ctx() { mfaChallenges, principal }: IdentityContext,
  ): Promise<PendingChallenge> {
    return mfaChallenges.send(principal, challengeId, method);
  }

  @Mutation(() => MfaVerification, { description: 'A right code lifts the session for 15 minutes. Five wrong ones end the challenge.' })
  @Authenticated()
  verifyMfaChallenge(
    @Arg('input', () => MfaVerifyInput) input: MfaVerifyInput,
    @Ctx() { verification, request }: IdentityContext,
  ): Promise<MfaVerification> {
    return verification.verify(request, input);
  }
}
