import { Allow, ArrayMaxSize, ArrayMinSize, IsOptional, Max, Min, ValidateNested } from 'class-validator';
import { ArgsType, Field, ID, InputType, Int } from 'type-graphql';
import { Characters } from '../../../kernel/graphql/characters.ts';
import { IsCurrency } from '../../../kernel/graphql/is-currency.ts';
import { jsonSchema } from '../../../kernel/graphql/json-schema.ts';
import { Decimal } from '../../../kernel/values/money.ts';
import { METRICS } from '../usage-prices/usage-metric.states.ts';
import { UsageReportPeriod } from './usage.states.ts';
import { MAX_EVENTS } from './usage-event.rules.ts';

const SIZE = `must have 1 to ${MAX_EVENTS} items`;

// the rules of one event are in usage-event.rules.ts, because an event that breaks them does not refuse the others
@InputType({ description: 'Usage of a service. `source` and `id` identify it: repeated events count once.' })
export class UsageEventInput {
  @Field(() => String, { description: 'Your id of the event: 1 to 100 printable ASCII characters without spaces.' })
  @Allow(jsonSchema({ pattern: '^[!-~]{1,100}$' }))
  id!: string;

  @Field(() => String, {
    nullable: true,
    description: 'Name of the system that measured the usage, if several use the same ids: 1 to 100 characters as in `id`. Default: `api`.',
  })
  @IsOptional()
  @Allow(jsonSchema({ pattern: '^[!-~]{1,100}$' }))
  source?: string | null;

  @Field(() => ID, { description: 'Service that was used (`svc_…`).' })
  serviceId!: string;

  @Field(() => String, { description: `Kind of usage: ${METRICS.map((metric) => `\`${metric}\``).join(', ')}.` })
  @Allow(jsonSchema({ enum: METRICS }))
  metric!: string;

  @Field(() => Decimal, { description: 'Used quantity: at least 0, less than 10^12, with at most 10 decimal places.' })
  @Allow(jsonSchema({ minimum: 0, exclusiveMaximum: 1e12 }))
  quantity!: Decimal;

  @Field(() => Date, { description: 'When the service was used: at most 60 days ago, and at most 5 minutes in the future.' })
  timestamp!: Date;
}

@ArgsType()
export class UsageEvents {
  @Field(() => [UsageEventInput], { description: `Events to record, 1 to ${MAX_EVENTS}.` })
  @ArrayMinSize(1, { message: SIZE })
  @ArrayMaxSize(MAX_EVENTS, { message: SIZE })
  @ValidateNested()
  events!: UsageEventInput[];
}

export const ROWS_DEFAULT = 50;
const ROWS_MAX = 200;

/** Filter of a usage report. */
@ArgsType()
export class UsageReportQuery {
  @Field(() => String, {
    nullable: true,
    description: 'Only services of this category, type or subtype, such as `connectivity`, `internet` or `fiber`.',
  })
  @IsOptional()
  @Characters(1, 50)
  serviceType?: string | null;

  @Field(() => UsageReportPeriod, { nullable: true, description: 'Period of the report. Default: `CURRENT_MONTH`.' })
  period?: UsageReportPeriod | null;

  @Field(() => Boolean, {
    nullable: true,
    description: 'If true, each row also has `days`, the usage of each day. In this case, `limit` must be at most 50.',
  })
  detailed?: boolean | null;

  @Field(() => ID, { nullable: true, description: 'Only services of this account (`acc_…`).' })
  accountId?: string | null;

  @Field(() => String, {
    nullable: true,
    description:
      'Currency of `usageCost` and `estimatedMonthlyCost`, such as USD. Costs in other currencies are not converted; they are in `otherCurrencies`. Default: the currency in which `usageCost` is the largest number.',
  })
  @IsOptional()
  @IsCurrency()
  currency?: string | null;

  @Field(() => Int, { nullable: true, description: `Maximum number of rows in \`services\`, 1 to ${ROWS_MAX}. Default: ${ROWS_DEFAULT}.` })
  @IsOptional()
  @Min(1, { message: `must be between 1 and ${ROWS_MAX}` })
  @Max(ROWS_MAX, { message: `must be between 1 and ${ROWS_MAX}` })
  limit?: number | null;

  @Field(() => Int, { nullable: true, description: 'Number of rows to skip. Default: 0.' })
  @IsOptional()
  @Min(0, { message: 'must be at least 0' })
  offset?: number | null;
}
