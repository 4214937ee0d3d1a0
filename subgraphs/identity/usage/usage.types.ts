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
  description:
    'How likely the limit of the hour is reached: the projection is below 60 % of it, below 80 %, below it, or beyond; critical too for who is suspended.',
});

@ObjectType({ description: 'As the rate headers of the same answer say it; a DELETE counts 3, other changes 2, reads 1.' })
export class RateLimitCurrentUsage {
  @Field(() => Float)
  requestsThisHour!: number;

  @Field(() => Float, { nullable: true, description: 'Null where there is no limit.' })
  hourlyLimit!: number | null;

  @Field(() => Date)
  hourResetAt!: Date;

  @Field(() => Float)
  burstUsed!: number;

  @Field(() => Float, { nullable: true, description: 'In any 60 seconds; null where there is no limit.' })
  burstLimit!: number | null;

  @Field(() => Date)
  burstResetAt!: Date;
}

@ObjectType()
export class RateLimitHour {
  @Field(() => Date, { description: 'When it began.' })
  hour!: Date;

  @Field(() => Float, { description: 'Weighted, as they count against the limit of the hour.' })
  requests!: number;

  @Field(() => Float, { nullable: true, description: "Of the plan's limit; null where there is none." })
  percentage!: number | null;
}

@ObjectType()
export class RateLimitProjection {
  @Field(() => Float, { description: "What will have been used when the caller's hour ends, at the rate so far." })
  endOfHour!: number;

  @Field(() => RiskLevel)
  riskLevel!: RiskLevel;
}

@ObjectType({ description: 'Operations that have a limit of their own in an hour.' })
export class RateLimitCategoryUsage {
  @Field(() => String, { description: 'billing, provisioning, export or account.' })
  category!: string;

  @Field(() => Float)
  used!: number;

  @Field(() => Float, { nullable: true })
  limit!: number | null;

  @Field(() => Date)
  resetAt!: Date;
}

@ObjectType()
export class ConcurrencyUsage {
  @Field(() => Int, { description: 'Requests of the organization that are being served.' })
  used!: number;

  @Field(() => Int, { nullable: true, description: 'Null where there is no limit.' })
  limit!: number | null;

  @Field(() => Int, { description: 'Requests that wait for one of those to be done.' })
  waiting!: number;
}

@ObjectType({ description: 'The calendar month, in UTC; a few seconds behind.' })
export class MonthlyUsage {
  @Field(() => Date)
  periodStart!: Date;

  @Field(() => Date)
  periodEnd!: Date;

  @Field(() => Float, { description: 'Whatever they weigh.' })
  requests!: number;

  @Field(() => Float, { nullable: true, description: 'What the plan includes; null where everything is.' })
  included!: number | null;

  @Field(() => Float, { description: 'Requests beyond those.' })
  overage!: number;

  @Field(() => Decimal, { nullable: true, description: 'Of each of them; null where the contract says it.' })
  overagePrice!: Decimal | null;

  @Field(() => String)
  currency!: string;
}

@ObjectType({ description: 'What the caller and its organization have used of their limits (specification 8.6).' })
export class RateLimitUsage {
  @Field(() => RateLimitCurrentUsage)
  currentUsage!: RateLimitCurrentUsage;

  @Field(() => [RateLimitHour], { description: 'The last 24 hours of the clock, oldest first; a few seconds behind.' })
  usageHistory!: RateLimitHour[];

  @Field(() => RateLimitProjection)
  projectedUsage!: RateLimitProjection;

  @Field(() => [RateLimitCategoryUsage])
  categories!: RateLimitCategoryUsage[];

  @Field(() => ConcurrencyUsage)
  concurrency!: ConcurrencyUsage;

  @Field(() => MonthlyUsage)
  month!: MonthlyUsage;

  @Field(() => Date, { nullable: true, description: 'Until when these credentials are suspended for exceeding the burst.' })
  suspendedUntil!: Date | null;

  @Field(() => Date, { nullable: true, description: 'Since when the organization is under review for exceeding it again and again.' })
  underReviewSince!: Date | null;
}
