import { IsOptional, Matches } from 'class-validator';
import { Field, InputType } from 'type-graphql';

@InputType({ description: 'Mobile number for codes by SMS.' })
export class SmsSetupInput {
  @Field(() => String, { nullable: true, description: 'International number, such as +1 212 555 0100. Default: the number of the user.' })
  @IsOptional()
  @Matches(/^\+[1-9][0-9 ().-]{5,24}$/, { message: 'must be an international number such as +1 212 555 0100' })
  phone?: string | null;
}
