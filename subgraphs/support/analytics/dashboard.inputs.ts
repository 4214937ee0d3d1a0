import { ValidateBy } from 'class-validator';
import { ArgsType, Field, ID } from 'type-graphql';
import { IsZone } from '../../../kernel/graphql/is-zone.ts';
import { jsonSchema } from '../../../kernel/graphql/json-schema.ts';
import { DATE_RANGE_PATTERN, DATE_RANGE_RULE, parseDateRange } from '../../../kernel/values/date-range.ts';

const isDateRange = (value: unknown): boolean => typeof value === 'string' && parseDateRange(value) !== undefined;

@ArgsType()
export class DashboardQuery {
  @Field(() => ID, { nullable: true, description: 'Only tickets of this customer (`cust_…`). Default: all.' })
  customerId?: string | null;

  @Field(() => String, {
    defaultValue: '30d',
    description: 'Period: days (`30d`, today included), weeks (`12w`), hours (`24h`), or first and last day (`2026-01-01..2026-01-31`).',
  })
  @ValidateBy(
    { name: 'isDateRange', validator: { validate: isDateRange } },
    {
      message: DATE_RANGE_RULE,
      ...jsonSchema({ pattern: DATE_RANGE_PATTERN }),
    },
  )
  dateRange!: string;

  @Field(() => String, { defaultValue: 'UTC', description: 'IANA time zone in which days begin, such as America/New_York.' })
  @IsZone()
  timezone!: string;
}
