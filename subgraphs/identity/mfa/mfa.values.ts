import { Field, ID, ObjectType } from 'type-graphql';
import { MfaMethod } from './mfa-method.entity.ts';

/** Result of an authenticator set-up (specification 2.4). */
@ObjectType({ description: 'Data to set up an authenticator app. Shown once.' })
export class TotpSetup {
  @Field(() => ID, { description: 'Id of the new second factor (`mfa_…`).' })
  methodId!: string;

  @Field(() => String, { description: 'Secret in Base32, to enter manually if there is no camera.' })
  secret!: string;

  @Field(() => String, { description: '`setupUrl` as a QR code: a data URI of a PNG image.' })
  qrCode!: string;

  @Field(() => [String], {
    description: 'Backup codes. Each can be used once in place of a code of a second factor. Earlier backup codes stop working.',
  })
  backupCodes!: string[];

  @Field(() => String, { description: 'otpauth URI for authenticator apps.' })
  setupUrl!: string;
}

/** Result of an SMS or e-mail set-up. The method is enrolled when its challenge is verified with the sent code. */
@ObjectType({ description: 'A new second factor. It takes effect when you verify the code that was sent.' })
export class MfaEnrolment {
  @Field(() => MfaMethod, { description: 'The new second factor.' })
  method!: MfaMethod;

  @Field(() => ID, { description: 'Id of the challenge (`mfac_…`). To complete it, verify the challenge with the code that was sent.' })
  challengeId!: string;

  @Field(() => Date, { description: 'When the code expires.' })
  expiresAt!: Date;
}

@ObjectType({ description: 'New backup codes. Shown once.' })
export class BackupCodeSet {
  @Field(() => [String], {
    description: 'Codes. Each can be used once in place of a code of a second factor. Earlier backup codes stop working.',
  })
  backupCodes!: string[];
}
