import { Field, ID, ObjectType } from 'type-graphql';
import { MfaMethod } from './mfa-method.entity.ts';

/** Specification 2.4. */
@ObjectType({ description: 'What an authenticator is set up with. Shown once.' })
export class TotpSetup {
  @Field(() => ID)
  methodId!: string;

  @Field(() => String, { description: 'In Base32, to be typed where no camera is.' })
  secret!: string;

  @Field(() => String, { description: 'The set-up URL as a QR code: a data URI of a PNG.' })
  qrCode!: string;

  @Field(() => [String], { description: 'Each works once in place of a code. Earlier ones work no more.' })
  backupCodes!: string[];

  @Field(() => String, { description: 'An otpauth URI.' })
  setupUrl!: string;
}

/** A method that codes are sent to counts once a code has arrived: its challenge is answered like any other. */
@ObjectType({ description: 'A second factor that counts when the code that was sent to it is verified.' })
export class MfaEnrolment {
  @Field(() => MfaMethod)
  method!: MfaMethod;

  @Field(() => ID, { description: 'To be answered by verifyMfaChallenge with the code that was sent.' })
  challengeId!: string;

  @Field(() => Date)
  expiresAt!: Date;
}

@ObjectType({ description: 'Shown once.' })
export class BackupCodeSet {
  @Field(() => [String], { description: 'Each works once in place of a code. Earlier ones work no more.' })
  backupCodes!: string[];
}
