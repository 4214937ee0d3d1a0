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
  description: 'Limits of one key. They apply in addition to the limits of the plan. At least one of the two limits must be set.',
})
@InputType('ApiKeyRateLimitInput', {
  description: 'Limits of one key. They apply in addition to the limits of the plan. At least one of the two limits must be set.',
})
export class ApiKeyRateLimit {
  @Field(() => Int, {
    nullable: true,
    description: 'Maximum number of requests in any 60 seconds. Further requests get 429. Null means no limit.',
  })
  @ValidateIf(({ requestsPerMinute, burstLimit }: ApiKeyRateLimit) => !isMissing(requestsPerMinute) || isMissing(burstLimit))
  @IsDefined({ message: 'must be given where there is no burst limit' })
  @Min(1, { message: RATE_REASON })
  @Max(RATE_MAX, { message: RATE_REASON })
  requestsPerMinute?: number | null;

  @Field(() => Int, {
    nullable: true,
    description:
      'Maximum number of requests in any 60 seconds, including rejected requests. More requests suspend the key for 5 minutes. Null means no limit.',
  })
  @IsOptional()
  @Min(1, { message: RATE_REASON })
  @Max(RATE_MAX, { message: RATE_REASON })
  burstLimit?: number | null;
}

@ObjectType({ description: 'Where and when a key works.' })
export class ApiKeyRestrictions {
  @Field(() => [String], { description: 'CIDR ranges from which the key works. Empty means everywhere.' })
  ipWhitelist!: string[];

  @Field(() => Date, { nullable: true, description: 'When the key expires. Null if it never does.' })
  expiresAt!: Date | null;

  @Field(() => [TimeWindow], { description: 'Hours in which the key works. Empty means always.' })
  timeWindows!: TimeWindow[];

  @Field(() => [String], { description: 'Countries from which the key works, as ISO 3166-1 codes with two letters. Empty means all.' })
  countries!: string[];
}

@InputType({ description: 'Where and when a key works.' })
@Rule<ApiKeyRestrictionsInput, IdentityContext>(({ expiresAt: value }, { clock }) =>
  value && value <= clock.now() ? [{ field: 'expiresAt', value, reason: 'must be in the future' }] : [],
)
export class ApiKeyRestrictionsInput {
  @Field(() => [String], {
    nullable: true,
    description: 'IPv4 or IPv6 addresses or CIDR ranges from which the key works. Empty means everywhere.',
  })
  @IsOptional()
  @ArrayMaxSize(RANGES_MAX, { message: `must have at most ${RANGES_MAX} ranges` })
  @IsIpRange()
  ipWhitelist?: string[] | null;

  @Field(() => Date, { nullable: true, description: 'When the key expires, in the future. Null means never.' })
  expiresAt?: Date | null;

  @Field(() => [TimeWindow], { nullable: true, description: 'Hours in which the key works. Empty means always.' })
  @IsOptional()
  @ArrayMaxSize(WINDOWS_MAX, { message: `must have at most ${WINDOWS_MAX} windows` })
  @ValidateNested()
  timeWindows?: TimeWindow[] | null;

  @Field(() => [String], {
    nullable: true,
    description: 'Countries from which the key works, as ISO 3166-1 codes with two letters. Empty means all.',
  })
  @IsOptional()
  @ArrayMaxSize(COUNTRIES_MAX, { message: `must have at most ${COUNTRIES_MAX} countries` })
  @IsCountry()
  countries?: string[] | null;
}
