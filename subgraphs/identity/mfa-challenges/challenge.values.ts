import { Field, ID, Int, ObjectType } from 'type-graphql';
import { MfaMethodType } from '../mfa/mfa.states.ts';

/** A pending challenge, as shown to the user who must verify it. */
@ObjectType('MfaChallenge', { description: 'A request for a second factor. To complete it, verify the challenge with a code.' })
export class PendingChallenge {
  @Field(() => ID)
  id!: string;

  @Field(() => [MfaMethodType], {
    description: 'Second factors that can complete the challenge. If the user has none, the second factors that can be set up.',
  })
  methods!: MfaMethodType[];

  @Field(() => String, { nullable: true, description: 'Where the last code was sent, partly hidden. Null if none was sent.' })
  codeSentTo!: string | null;

  @Field(() => Date, { description: 'When the challenge expires.' })
  expiresAt!: Date;
}

/** A verified challenge (specification 3.6). */
@ObjectType({ description: 'Result of a correct code.' })
export class MfaVerification {
  @Field(() => ID, { description: 'Id of the challenge (`mfac_…`).' })
  challengeId!: string;

  @Field(() => Boolean, { description: 'Always true: a wrong code gets an error.' })
  verified!: boolean;

  @Field(() => MfaMethodType, { description: 'Kind of second factor that was used.' })
  method!: MfaMethodType;

  @Field(() => Date, { description: 'When the code was accepted.' })
  verifiedAt!: Date;

  @Field(() => Date, { description: 'Until this time, the session is not asked for a second factor again.' })
  validUntil!: Date;

  @Field(() => Int, { description: 'Number of unused backup codes.' })
  backupCodesLeft!: number;

  @Field(() => [String], {
    nullable: true,
    description:
      'New backup codes. Present if this code completed the setup of a second factor and the user had no backup codes. Null otherwise.',
  })
  backupCodes!: string[] | null;
}
