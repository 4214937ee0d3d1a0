import { ArrayMaxSize, ArrayMinSize, ArrayUnique, IsOptional, ValidateNested } from 'class-validator';
import { Field, ID, InputType } from 'type-graphql';
import { ANALYZED_SERVICES_MAX } from '../../../kernel/analytics/analytics-scope.ts';
import type { Clock } from '../../../kernel/clock.ts';
import type { FieldProblem } from '../../../kernel/errors/errors.ts';
import { IsZone } from '../../../kernel/graphql/is-zone.ts';
import { Rule } from '../../../kernel/graphql/rule.ts';
import { ReportDateRange, ReportDeliveryInput, ReportFormat } from '../../../kernel/reports/report-values.ts';
import { DAYS_MAX } from '../../../kernel/values/date-range.ts';
import { DAY_MS } from '../../../kernel/values/days.ts';
import { AnalyticsReportGrouping, AnalyticsReportMetric, AnalyticsReportType } from './analytics-report.states.ts';

const SERVICES = `must have 1 to ${ANALYZED_SERVICES_MAX} items`;
const METRICS = 'must have 1 to 8 items';
const { SERVICE, TYPE, MONTH } = AnalyticsReportGrouping;

@InputType({ description: 'Report to generate.' })
@Rule<AnalyticsReportInput>(({ reportType, metrics }) => {
  if (reportType === undefined) return [];
  const isCustom = reportType === AnalyticsReportType.CUSTOM;
  if (isCustom && metrics === null) return [{ field: 'metrics', reason: 'is required for a custom report' }];
  if (isCustom && metrics === undefined) return [{ field: 'metrics', reason: 'is required for a custom report' }];
  return !isCustom && metrics ? [{ field: 'metrics', reason: 'is only possible for a custom report' }] : [];
})
@Rule<AnalyticsReportInput, { clock: Clock; isSandbox: boolean }>(({ dateRange: { start, end } = {} }, { clock, isSandbox }) => {
  const value = start;
  if (value && value >= clock.now() && !isSandbox) return [{ field: 'dateRange.start', value, reason: 'must be in the past' }];
  const isTooLong = start && end && end.getTime() - start.getTime() > DAYS_MAX * DAY_MS;
  return isTooLong ? [{ field: 'dateRange.end', value: end, reason: `must be at most ${DAYS_MAX} days after the start` }] : [];
})
@Rule<AnalyticsReportInput>(({ reportType, metrics, grouping }): FieldProblem[] => {
  const times = (grouping ?? []).filter((one) => one !== SERVICE && one !== TYPE);
  if (grouping?.includes(SERVICE) && grouping.includes(TYPE))
    return [{ field: 'grouping', reason: 'must have at most one of service and type' }];
  if (times.length > 1) return [{ field: 'grouping', reason: 'must have at most one of day, week and month' }];
  const hasCosts = reportType === AnalyticsReportType.COSTS || metrics?.includes(AnalyticsReportMetric.COSTS);
  return hasCosts && times.some((one) => one !== MONTH)
    ? [{ field: 'grouping', reason: 'must be month, service or type for costs, because costs belong to months' }]
    : [];
})
export class AnalyticsReportInput {
  @Field(() => AnalyticsReportType, { description: 'Topic of the report.' })
  reportType!: AnalyticsReportType;

  @Field(() => ReportDateRange, {
    description: `Period of at most ${DAYS_MAX} days. The days at its start and end count as a whole.`,
  })
  @ValidateNested()
  dateRange!: ReportDateRange;

  @Field(() => [AnalyticsReportMetric], { nullable: true, description: 'Figures of a custom report, 1 to 8. Only for `CUSTOM`.' })
  @IsOptional()
  @ArrayMinSize(1, { message: METRICS })
  @ArrayMaxSize(8, { message: METRICS })
  @ArrayUnique({ message: 'must not contain a value twice' })
  metrics?: AnalyticsReportMetric[] | null;

  @Field(() => [AnalyticsReportGrouping], {
    nullable: true,
    description:
      'Grouping of the rows: one row for each service or type of service, for each day, week or month, or for both. A report has at most 1000 rows. Default: one row.',
  })
  @IsOptional()
  @ArrayMaxSize(2, { message: 'must have at most 2 items' })
  @ArrayUnique({ message: 'must not contain a value twice' })
  grouping?: AnalyticsReportGrouping[] | null;

  @Field(() => ID, { nullable: true, description: 'Only figures of this account (`acc_…`). Default: all.' })
  accountId?: string | null;

  @Field(() => [ID], {
    nullable: true,
    description: `Only figures of these services (\`svc_…\`), 1 to ${ANALYZED_SERVICES_MAX}. Default: all.`,
  })
  @IsOptional()
  @ArrayMinSize(1, { message: SERVICES })
  @ArrayMaxSize(ANALYZED_SERVICES_MAX, { message: SERVICES })
  serviceIds?: string[] | null;

  @Field(() => ReportFormat, { nullable: true, description: 'File format. Default: JSON.' })
  format?: ReportFormat | null;

  @Field(() => String, { nullable: true, description: 'IANA time zone in which days begin. Default: UTC.' })
  @IsOptional()
  @IsZone()
  timezone?: string | null;

  @Field(() => ReportDeliveryInput, { nullable: true, description: 'How the report is delivered. Default: a file to download.' })
  @IsOptional()
  @ValidateNested()
  delivery?: ReportDeliveryInput | null;
}
