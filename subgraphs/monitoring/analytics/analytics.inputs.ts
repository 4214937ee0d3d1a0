import { ArrayMaxSize, ArrayMinSize, IsOptional } from 'class-validator';
import { ArgsType, Field, ID } from 'type-graphql';
import { ANALYZED_SERVICES_MAX } from '../../../kernel/analytics/analytics-scope.ts';
import { IsDayRange } from '../../../kernel/graphql/is-date-range.ts';
import { IsZone } from '../../../kernel/graphql/is-zone.ts';
import { ServiceType } from '../../../kernel/values/service-type.ts';

const SERVICES = `must have 1 to ${ANALYZED_SERVICES_MAX} items`;

/** Period, account and services of an analysis, as the caller sends them. */
@ArgsType()
export class AnalyticsQuery {
  @Field(() => String, {
    defaultValue: '30d',
    description:
      'Period of at most 366 days: days (`30d`, today included), weeks (`12w`), or first and last day (`2026-01-01..2026-01-31`).',
  })
  @IsDayRange()
  dateRange!: string;

  @Field(() => String, { defaultValue: 'UTC', description: 'IANA time zone in which days begin, such as America/New_York.' })
  @IsZone()
  timezone!: string;

  @Field(() => ID, { nullable: true, description: 'Only figures of this account (`acc_…`). Default: of all that you may see.' })
  accountId?: string | null;

  @Field(() => [ID], {
    nullable: true,
    description: `Only figures of these services (\`svc_…\`), 1 to ${ANALYZED_SERVICES_MAX}. Default: of all that you may see.`,
  })
  @IsOptional()
  @ArrayMinSize(1, { message: SERVICES })
  @ArrayMaxSize(ANALYZED_SERVICES_MAX, { message: SERVICES })
  serviceIds?: string[] | null;

  @Field(() => ServiceType, {
    nullable: true,
    description: 'Only figures of services of this type. Cannot be combined with `serviceIds`. Default: all types.',
  })
  type?: ServiceType | null;
}
