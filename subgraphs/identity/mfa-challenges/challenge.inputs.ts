import { Matches } from 'class-validator';
import { Field, ID, InputType } from 'type-graphql';
import { Characters } from '../../../kernel/graphql/characters.ts';
import { MfaMethodType } from '../mfa/mfa.states.ts';

@InputType()
export class MfaVerifyInput {
  @Field(() => ID)
  @Characters(1, 100)
  challengeId!: string;

  @Field(() => MfaMethodType)
  method!: MfaMethodType;

  @Field(() => String, { description: 'Digits: of the authenticator or the message, or a backup code.' })
  @Matches(/^\d(?:[ -]?\d){3,31}$/, { message: 'must be the 6 digits of a code, or the 16 of a backup code' })
  code!: string;
}
