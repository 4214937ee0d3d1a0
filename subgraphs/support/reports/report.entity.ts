import { Entity, Index, Property } from '@mikro-orm/decorators/legacy';
import { Field, ObjectType } from 'type-graphql';
import { OrganizationFilter } from '../../../kernel/records/organization-filter.ts';
import { ReportRecord } from '../../../kernel/reports/report-record.ts';
import { ReportParameters } from './report.values.ts';

/** A report about tickets, generated as a file in the background (specification 2.7, 3.5). */
@ObjectType('SupportReport', { description: 'A file with key figures about tickets. It is generated in the background.' })
@Entity({ tableName: 'report' })
@OrganizationFilter()
@Index({ properties: ['organizationId', 'createdAt', 'id'] })
export class Report extends ReportRecord<ReportParameters> {
  @Field(() => ReportParameters, { description: 'Parameters as requested, with defaults filled in.' })
  @Property({ type: 'json' })
  parameters!: ReportParameters;

  /**
   * Id of the notification that announces the finished report. Null until the report is ready, and if nobody is
   * notified.
   */
  @Property({ type: 'text', nullable: true })
  notificationId: string | null = null;
}
