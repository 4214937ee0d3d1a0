import { Entity, Index, Property } from '@mikro-orm/decorators/legacy';
import { Field, ObjectType } from 'type-graphql';
import { OrganizationFilter } from '../../../kernel/records/organization-filter.ts';
import { ReportRecord } from '../../../kernel/reports/report-record.ts';
import { AnalyticsReportMetric } from './analytics-report.states.ts';
import { AnalyticsReportParameters } from './analytics-report.values.ts';

/** A report about services, generated as a file in the background (specification 4.6). */
@ObjectType({ description: 'A file with figures about services. It is generated in the background.' })
@Entity({ tableName: 'analytics_report' })
@OrganizationFilter()
@Index({ name: 'analytics_report_created_index', properties: ['organizationId', 'createdAt', 'id'] })
export class AnalyticsReport extends ReportRecord<AnalyticsReportParameters> {
  @Field(() => AnalyticsReportParameters, { description: 'Parameters as requested, with defaults filled in.' })
  @Property({ type: 'json' })
  parameters!: AnalyticsReportParameters;

  /** True if only callers with the permission to read costs may get the file. */
  get hasCosts(): boolean {
    return this.parameters.metrics.includes(AnalyticsReportMetric.COSTS);
  }
}
