import { Entity, Enum, Index, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { Field, ID, Int, ObjectType } from 'type-graphql';
import { OrganizationFilter } from '../../../kernel/records/organization-filter.ts';
import { ReportStatus, reportStates } from './report.states.ts';
import { ReportDelivery, ReportFormat, ReportParameters } from './report.values.ts';

/** Number of days after which a report and its file are deleted. */
export const RETENTION_DAYS = 30;

/** A report about tickets, generated as a file in the background (specification 2.7, 3.5). */
@ObjectType('SupportReport', { description: 'A file with key figures about tickets. It is generated in the background.' })
@Entity({ tableName: 'report' })
@OrganizationFilter()
@Index({ properties: ['organizationId', 'createdAt', 'id'] })
export class Report {
  @Field(() => ID)
  @PrimaryKey({ type: 'text' })
  id!: string;

  @Property({ type: 'text' })
  organizationId!: string;

  @Field(() => String, { description: 'Topic of the report, such as `sla_performance`.' })
  @Property({ type: 'text' })
  reportType!: string;

  @Field(() => ReportStatus, { description: 'Progress of the report.' })
  @Enum({ items: () => ReportStatus, type: 'text' })
  status: ReportStatus = ReportStatus.GENERATING;

  @Field(() => Int, { description: 'Finished share of the period, in percent.' })
  @Property({ type: 'smallint' })
  progress = 0;

  @Field(() => Int, { nullable: true, description: 'Number of rows in the file. Null until it is ready.' })
  @Property({ type: 'integer', nullable: true })
  rows: number | null = null;

  @Field(() => Date, { description: 'Expected time of completion. The actual time once the report is ready.' })
  @Property({ type: 'datetime', length: 3 })
  estimatedCompletion!: Date;

  @Field(() => ReportParameters, { description: 'Parameters as requested, with defaults filled in.' })
  @Property({ type: 'json' })
  parameters!: ReportParameters;

  @Field(() => ReportDelivery, { description: 'How the report is delivered.' })
  @Property({ type: 'json' })
  delivery!: ReportDelivery;

  /**
   * Id of the notification that announces the finished report. Null until the report is ready, and if nobody is
   * notified.
   */
  @Property({ type: 'text', nullable: true })
  notificationId: string | null = null;

  @Field(() => String, { nullable: true, description: 'Reason of the failure. Null if there was no failure.' })
  @Property({ type: 'text', nullable: true })
  error: string | null = null;

  /** Number of started attempts, including attempts during which the process died. */
  @Property({ type: 'smallint' })
  attempts = 0;

  @Field(() => Date)
  @Property({ type: 'datetime', length: 3 })
  createdAt!: Date;

  @Field(() => Date, { description: 'When the report and its file are deleted: 30 days after the request.' })
  @Property({ type: 'datetime', length: 3 })
  expiresAt!: Date;

  complete(rows: number, now: Date): void {
    reportStates.check(this.status, ReportStatus.READY);
    Object.assign(this, { status: ReportStatus.READY, rows, progress: 100, estimatedCompletion: now });
  }

  fail(reason: string): void {
    reportStates.check(this.status, ReportStatus.FAILED);
    Object.assign(this, { status: ReportStatus.FAILED, error: reason });
  }
}

/** Returns the key of the report's file in the file store. */
export const fileKeyOf = ({ id, organizationId, parameters }: Report): string =>
  `reports/${organizationId}/${id}.${parameters.format === ReportFormat.CSV ? 'csv' : 'json'}`;
