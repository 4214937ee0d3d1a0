import { ArrayMaxSize, IsDefined, IsOptional, Max, Min, ValidateIf, ValidateNested } from 'class-validator';
import { Field, InputType, Int, ObjectType } from 'type-graphql';
import { Rule } from '../../../kernel/graphql/rule.ts';
import type { IdentityContext } from '../context.ts';
import { COUNTRIES_MAX, IsCountry } from '../restrictions/country.ts';
import { IsIpRange, RANGES_MAX } from '../restrictions/ip-range.ts';
import { TimeWindow, WINDOWS_MAX } from '../restrictions/time-window.ts';

const RATE_MAX = 1_000_000;
const RATE_REASON = `must be between 1 and ${RATE_MAX}`;

const isMissing = (value: unknown): boolean => value === undefined || value === null;

@ObjectType({
  description: "Narrows what the organization's plan allows, and never widens it. One of the two limits may be left out.",
})
@InputType('ApiKeyRateLimitInput')
export class ApiKeyRateLimit {
  @Field(() => Int, { nullable: true, description: 'More in any 60 seconds is refused with 429 until there is room again.' })
  @ValidateIf(({ requestsPerMinute, burstLimit }: ApiKeyRateLimit) => !isMissing(requestsPerMinute) || isMissing(burstLimit))
  @IsDefined({ message: 'must be given where there is no burst limit' })
  @Min(1, { message: RATE_REASON })
  @Max(RATE_MAX, { message: RATE_REASON })
  requestsPerMinute?: number | null;

  @Field(() => Int, {
    nullable: true,
    description: 'More in any 60 seconds, refused requests included, suspends the key for 5 minutes.',
  })
  @IsOptional()
  @Min(1, { message: RATE_REASON })
  @Max(RATE_MAX, { message: RATE_REASON })
  burstLimit?: number | null;
}

@ObjectType({ description: 'Where from, and until when, a key works.' })
export class ApiKeyRestrictions {
  @Field(() => [String], { description: 'CIDR ranges; from anywhere where there are none.' })
  ipWhitelist!: string[];

  @Field(() => Date, { nullable: true })
  expiresAt!: Date | null;

  @Field(() => [TimeWindow], { description: 'At any time where there are none.' })
  timeWindows!: TimeWindow[];

  @Field(() => [String], { description: 'ISO 3166-1 alpha-2; from any country where there are none.' })
  countries!: string[];
}

@InputType()
@Rule<ApiKeyRestrictionsInput, IdentityContext>(({ expiresAt: value }, { clock }) =>
  value && value <= clock.now() ? [{ field: 'expiresAt', value, reason: 'must be in the future' }] : [],
)
export class ApiKeyRestrictionsInput {
  @Field(() => [String], { nullable: true, description: 'CIDR ranges or addresses, IPv4 or IPv6. None: from anywhere.' })
  @IsOptional()
  @ArrayMaxSize(RANGES_MAX, { message: `must have at most ${RANGES_MAX} ranges` })
  @IsIpRange()
  ipWhitelist?: string[] | null;

  @Field(() => Date, { nullable: true, description: 'In the future. None: never.' })
  expiresAt?: Date | null;

  @Field(() => [TimeWindow], { nullable: true, description: 'When it works. None: at any time.' })
  @IsOptional()
  @ArrayMaxSize(WINDOWS_MAX, { message: `must have at most ${WINDOWS_MAX} windows` })
  @ValidateNested()
  timeWindows?: TimeWindow[] | null;

  @Field(() => [String], { nullable: true, description: 'ISO 3166-1 alpha-2 codes of the countries that it works from. None: from any.' })
  @IsOptional()
  @ArrayMaxSize(COUNTRIES_MAX, { message: `must have at most ${COUNTRIES_MAX} countries` })
  @IsCountry()
  countries?: string[] | null;
}
