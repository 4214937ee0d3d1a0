import { ArgsType, Field, ID } from 'type-graphql';
import { IsDateRange } from '../../../kernel/graphql/is-date-range.ts';
import { IsZone } from '../../../kernel/graphql/is-zone.ts';

@ArgsType()
export class DashboardQuery {
  @Field(() => ID, { nullable: true, description: 'Only tickets of this customer (`cust_…`). Default: all.' })
  customerId?: string | null;

  @Field(() => String, {
    defaultValue: '30d',
    description: 'Period: days (`30d`, today included), weeks (`12w`), hours (`24h`), or first and last day (`2026-01-01..2026-01-31`).',
  })
  @IsDateRange()
  dateRange!: string;

  @Field(() => String, { defaultValue: 'UTC', description: 'IANA time zone in which days begin, such as America/New_York.' })
  @IsZone()
  timezone!: string;
}
