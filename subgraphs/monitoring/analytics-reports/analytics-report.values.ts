import { Field, Float, ID, ObjectType } from 'type-graphql';
import { ReportFormat } from '../../../kernel/reports/report-values.ts';
import { AnalyticsReportGrouping, AnalyticsReportMetric } from './analytics-report.states.ts';

@ObjectType({ description: 'Scope and content of a report.' })
export class AnalyticsReportParameters {
  @Field(() => String, { description: 'First day, such as 2026-01-01.' })
  firstDay!: string;

  @Field(() => String, { description: 'Last day, such as 2026-01-31.' })
  lastDay!: string;

  @Field(() => String, { description: 'IANA time zone in which days begin.' })
  timezone!: string;

  @Field(() => [AnalyticsReportMetric], { description: 'Figures of the report.' })
  metrics!: AnalyticsReportMetric[];

  @Field(() => [AnalyticsReportGrouping], { description: 'Grouping of the rows. Empty for one row in all.' })
  grouping!: AnalyticsReportGrouping[];

  @Field(() => ID, { nullable: true, description: 'Only figures of this account (`acc_…`). Null for all.' })
  accountId!: string | null;

  @Field(() => [ID], { nullable: true, description: 'Only figures of these services (`svc_…`). Null for all.' })
  serviceIds!: string[] | null;

  @Field(() => ReportFormat, { description: 'File format.' })
  format!: ReportFormat;

  @Field(() => Float, { description: 'Availability in percent that the plan of the organization promised when the report was requested.' })
  availabilityTarget!: number;
}
