import { Matches } from 'class-validator';
import { Field, ID, InputType } from 'type-graphql';
import { Characters } from '../../../kernel/graphql/characters.ts';
import { MfaMethodType } from '../mfa/mfa.states.ts';

@InputType({ description: 'Code that completes a challenge.' })
export class MfaVerifyInput {
  @Field(() => ID, { description: 'Id of the challenge (`mfac_…`).' })
  @Characters(1, 100)
  challengeId!: string;

  @Field(() => MfaMethodType, { description: 'Kind of second factor that the code belongs to.' })
  method!: MfaMethodType;

  @Field(() => String, { description: 'The 6 digits of a code, or the 16 digits of a backup code.' })
  @Matches(/^\d(?:[ -]?\d){3,31}$/, { message: 'must be the 6 digits of a code, or the 16 of a backup code' })
  code!: string;
}
