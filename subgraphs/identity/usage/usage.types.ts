import { Field, Float, Int, ObjectType, registerEnumType } from 'type-graphql';
import { Decimal } from '../../../kernel/values/money.ts';

export enum RiskLevel {
  LOW = 'low',
  MEDIUM = 'medium',
  HIGH = 'high',
  CRITICAL = 'critical',
}
registerEnumType(RiskLevel, {
  name: 'RiskLevel',
  description: 'How likely it is that the hourly limit will be reached, according to the expected usage.',
  valuesConfig: {
    LOW: { description: 'Below 60 % of the limit.' },
    MEDIUM: { description: 'Below 80 % of the limit.' },
    HIGH: { description: 'Below the limit.' },
    CRITICAL: { description: 'At or above the limit, or the credentials are suspended.' },
  },
});

@ObjectType({
  description:
    'Usage as in the rate limit headers of the same response. Most reads count as 1 request, most changes as 2 and most deletions as 3. The description of each operation states its weight.',
})
export class RateLimitCurrentUsage {
  @Field(() => Float, { description: 'Weighted requests in the current hour.' })
  requestsThisHour!: number;

  @Field(() => Float, { nullable: true, description: 'Weighted requests allowed per hour. Null if there is no limit.' })
  hourlyLimit!: number | null;

  @Field(() => Date, { description: 'When the hour ends.' })
  hourResetAt!: Date;

  @Field(() => Float, { description: 'Weighted requests in the last 60 seconds.' })
  burstUsed!: number;

  @Field(() => Float, { nullable: true, description: 'Weighted requests allowed in any 60 seconds. Null if there is no limit.' })
  burstLimit!: number | null;

  @Field(() => Date, { description: 'When all of the burst limit is available again.' })
  burstResetAt!: Date;
}

@ObjectType({ description: 'Usage of one hour.' })
export class RateLimitHour {
  @Field(() => Date, { description: 'When the hour began.' })
  hour!: Date;

  @Field(() => Float, { description: 'Weighted requests in this hour.' })
  requests!: number;

  @Field(() => Float, { nullable: true, description: 'Share of the limit of the plan, in percent. Null if there is no limit.' })
  percentage!: number | null;
}

@ObjectType({ description: 'Expected usage at the end of the hour, at the current rate.' })
export class RateLimitProjection {
  @Field(() => Float, { description: 'Weighted requests expected at the end of the hour.' })
  endOfHour!: number;

  @Field(() => RiskLevel, { description: 'How likely it is that the hourly limit will be reached.' })
  riskLevel!: RiskLevel;
}

@ObjectType({ description: 'Usage of a group of operations that has its own hourly limit.' })
export class RateLimitCategoryUsage {
  @Field(() => String, { description: 'Group of operations: `billing`, `provisioning`, `export` or `account`.' })
  category!: string;

  @Field(() => Float, { description: 'Requests in the current hour.' })
  used!: number;

  @Field(() => Float, { nullable: true, description: 'Requests allowed per hour. Null if there is no limit.' })
  limit!: number | null;

  @Field(() => Date, { description: 'When the hour ends.' })
  resetAt!: Date;
}

@ObjectType({ description: 'Requests of the organization in progress.' })
export class ConcurrencyUsage {
  @Field(() => Int, { description: 'Number of requests that are being processed.' })
  used!: number;

  @Field(() => Int, {
    nullable: true,
    description: 'Number of requests that can be processed at the same time. Null if there is no limit.',
  })
  limit!: number | null;

  @Field(() => Int, { description: 'Number of requests that wait to be processed.' })
  waiting!: number;
}

@ObjectType({ description: 'Usage of the calendar month (UTC), with a few seconds of delay.' })
export class MonthlyUsage {
  @Field(() => Date, { description: 'Start of the month.' })
  periodStart!: Date;

  @Field(() => Date, { description: 'End of the month.' })
  periodEnd!: Date;

  @Field(() => Float, { description: 'Number of requests, without weights.' })
  requests!: number;

  @Field(() => Float, { nullable: true, description: 'Requests that the plan includes. Null if there is no limit.' })
  included!: number | null;

  @Field(() => Float, { description: 'Requests beyond the included requests.' })
  overage!: number;

  @Field(() => Decimal, {
    nullable: true,
    description: 'Price of each request beyond the included requests. Null if the contract states the price.',
  })
  overagePrice!: Decimal | null;

  @Field(() => String, { description: 'ISO 4217 code of `overagePrice`, such as USD.' })
  currency!: string;
}

@ObjectType({ description: 'Usage of the limits of the caller and of the organization.' })
export class RateLimitUsage {
  @Field(() => RateLimitCurrentUsage, { description: 'Usage of the current hour and minute.' })
  currentUsage!: RateLimitCurrentUsage;

  @Field(() => [RateLimitHour], { description: 'Usage of the last 24 hours, oldest first, with a few seconds of delay.' })
  usageHistory!: RateLimitHour[];

  @Field(() => RateLimitProjection, { description: 'Expected usage at the end of the hour.' })
  projectedUsage!: RateLimitProjection;

  @Field(() => [RateLimitCategoryUsage], { description: 'Limits of single groups of operations.' })
  categories!: RateLimitCategoryUsage[];

  @Field(() => ConcurrencyUsage, { description: 'Requests in progress.' })
  concurrency!: ConcurrencyUsage;

  @Field(() => MonthlyUsage, { description: 'Usage of the calendar month.' })
  month!: MonthlyUsage;

  @Field(() => Date, {
    nullable: true,
    description: 'Until this time, the credentials are suspended, because the burst limit was exceeded. Null unless they are suspended.',
  })
  suspendedUntil!: Date | null;

  @Field(() => Date, {
    nullable: true,
    description:
      "When the operator's review of the organization began, because the burst limit was exceeded repeatedly. Null unless the organization is under review.",
  })
  underReviewSince!: Date | null;
}
