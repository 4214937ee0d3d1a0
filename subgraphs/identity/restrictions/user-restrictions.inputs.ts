import { ArrayMaxSize, ValidateNested } from 'class-validator';
import { Field, InputType } from 'type-graphql';
import { NotNull } from '../../../kernel/graphql/not-null.ts';
import { COUNTRIES_MAX, IsCountry } from './country.ts';
import { IsIpRange, RANGES_MAX } from './ip-range.ts';
import { TimeWindow, WINDOWS_MAX } from './time-window.ts';

@InputType()
export class UserRestrictionsInput {
  @Field(() => [String], { nullable: true, description: 'CIDR ranges or addresses, IPv4 or IPv6. None: from anywhere.' })
  @NotNull()
  @ArrayMaxSize(RANGES_MAX, { message: `must have at most ${RANGES_MAX} ranges` })
  @IsIpRange()
  ipWhitelist?: string[];

  @Field(() => [TimeWindow], { nullable: true, description: 'None: at any time.' })
  @NotNull()
  @ArrayMaxSize(WINDOWS_MAX, { message: `must have at most ${WINDOWS_MAX} windows` })
  @ValidateNested()
  timeWindows?: TimeWindow[];

  @Field(() => [String], { nullable: true, description: 'ISO 3166-1 alpha-2. None: from any country.' })
  @NotNull()
  @ArrayMaxSize(COUNTRIES_MAX, { message: `must have at most ${COUNTRIES_MAX} countries` })
  @IsCountry()
  countries?: string[];
}
