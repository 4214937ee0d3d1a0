import { Enum, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { Field, ID, Int, ObjectType } from 'type-graphql';
import { ReportStatus, reportStates } from './report.states.ts';
import { ReportDelivery, type ReportFormat } from './report-values.ts';

/** Number of days after which a report and its file are deleted. */
export const RETENTION_DAYS = 30;

/** Parameters that every report has. Times are ISO 8601 texts once they are stored. */
export interface CommonReportParameters {
  format?: ReportFormat | null;
}

/**
 * A file that is generated in the background. A domain with reports has an entity that extends this class, with its own
 * `parameters` as a JSON column, and an index of `organizationId`, `createdAt` and `id`.
 */
@ObjectType()
export abstract class ReportRecord<P extends CommonReportParameters = CommonReportParameters> {
  @Field(() => ID)
  @PrimaryKey({ type: 'text' })
  id!: string;

  @Property({ type: 'text' })
  organizationId!: string;

  @Field(() => String, { description: 'Topic of the report.' })
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

  abstract parameters: P;

  @Field(() => ReportDelivery, { description: 'How the report is delivered.' })
  @Property({ type: 'json' })
  delivery!: ReportDelivery;

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
