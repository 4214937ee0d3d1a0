import { ArrayMaxSize, ValidateNested } from 'class-validator';
import { Field, InputType } from 'type-graphql';
import { NotNull } from '../../../kernel/graphql/not-null.ts';
import { COUNTRIES_MAX, IsCountry } from './country.ts';
import { IsIpRange, RANGES_MAX } from './ip-range.ts';
import { TimeWindow, WINDOWS_MAX } from './time-window.ts';

@InputType({ description: 'Restrictions to change. Omit a restriction to keep it.' })
export class UserRestrictionsInput {
  @Field(() => [String], {
    nullable: true,
    description: `IPv4 or IPv6 addresses or CIDR ranges from which users may log in, at most ${RANGES_MAX}. Empty means everywhere.`,
  })
  @NotNull()
  @ArrayMaxSize(RANGES_MAX, { message: `must have at most ${RANGES_MAX} ranges` })
  @IsIpRange()
  ipWhitelist?: string[];

  @Field(() => [TimeWindow], {
    nullable: true,
    description: `Hours in which users may log in, at most ${WINDOWS_MAX} ranges. Empty means always.`,
  })
  @NotNull()
  @ArrayMaxSize(WINDOWS_MAX, { message: `must have at most ${WINDOWS_MAX} windows` })
  @ValidateNested()
  timeWindows?: TimeWindow[];

  @Field(() => [String], {
    nullable: true,
    description: `Countries from which users may log in, as ISO 3166-1 codes with two letters, at most ${COUNTRIES_MAX}. Empty means all.`,
  })
  @NotNull()
  @ArrayMaxSize(COUNTRIES_MAX, { message: `must have at most ${COUNTRIES_MAX} countries` })
  @IsCountry()
  countries?: string[];
}
