import { Field, ID, Int, ObjectType } from 'type-graphql';
import { MfaMethodType } from '../mfa/mfa.states.ts';

/** A pending challenge, as whoever must answer it sees it. */
@ObjectType('MfaChallenge', { description: 'A demand for a second factor, to be answered by verifyMfaChallenge.' })
export class PendingChallenge {
  @Field(() => ID)
  id!: string;

  @Field(() => [MfaMethodType], { description: 'How it can be answered; where nothing is enrolled, what can be.' })
  methods!: MfaMethodType[];

  @Field(() => String, { nullable: true, description: 'Where the last code was sent, in part.' })
  codeSentTo!: string | null;

  @Field(() => Date)
  expiresAt!: Date;
}

/** Specification 3.6: a challenge that was verified. */
@ObjectType({ description: 'What a right code has brought.' })
export class MfaVerification {
  @Field(() => ID)
  challengeId!: string;

  @Field(() => Boolean)
  verified!: boolean;

  @Field(() => MfaMethodType)
  method!: MfaMethodType;

  @Field(() => Date)
  verifiedAt!: Date;

  @Field(() => Date, { description: 'Until then this session is not asked again.' })
  validUntil!: Date;

  @Field(() => Int, { description: 'Backup codes that were not used yet.' })
  backupCodesLeft!: number;

  @Field(() => [String], { nullable: true, description: 'Made with the first method of a user, and shown once; else null.' })
  backupCodes!: string[] | null;
}
