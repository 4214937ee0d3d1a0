import { ArrayMaxSize, IsOptional, Matches, MaxLength, ValidateNested } from 'class-validator';
import { Field, ID, InputType, Int, ObjectType, registerEnumType } from 'type-graphql';
import { EmailAddress } from '../../../kernel/graphql/email-address.ts';
import { IsZone } from '../../../kernel/graphql/is-zone.ts';
import { Rule } from '../../../kernel/graphql/rule.ts';
import { DAY_MS } from '../../../kernel/values/days.ts';
import { NotificationStatus } from '../notifications/notification.states.ts';
import { TicketPriority } from '../ticket.states.ts';

export enum ReportMetric {
  RESOLUTION_TIME = 'resolution_time',
  SLA_COMPLIANCE = 'sla_compliance',
  CUSTOMER_SATISFACTION = 'customer_satisfaction',
  ESCALATION_RATE = 'escalation_rate',
  FIRST_CONTACT_RESOLUTION = 'first_contact_resolution',
}
registerEnumType(ReportMetric, {
  name: 'ReportMetric',
  description: 'What is counted of the tickets that were opened in the range.',
  valuesConfig: {
    RESOLUTION_TIME: { description: 'Hours from opening to resolution, on average, of those resolved.' },
    SLA_COMPLIANCE: { description: 'Percent that missed neither their response nor their resolution time so far.' },
    CUSTOMER_SATISFACTION: { description: 'Percent of the ratings that are 4 or 5.' },
    ESCALATION_RATE: { description: 'Percent that were escalated.' },
    FIRST_CONTACT_RESOLUTION: {
      description: 'Percent of those resolved that were never opened again and took at most one answer of an agent.',
    },
  },
});

export enum ReportGrouping {
  CATEGORY = 'category',
  WEEK = 'week',
}
registerEnumType(ReportGrouping, { name: 'ReportGrouping', description: 'What each row of a report is about.' });

export enum ReportFormat {
  JSON = 'json',
  CSV = 'csv',
}
registerEnumType(ReportFormat, { name: 'ReportFormat' });

export enum ReportDeliveryMethod {
  DOWNLOAD = 'download',
}
registerEnumType(ReportDeliveryMethod, { name: 'ReportDeliveryMethod' });

/** Three years, rounded up. */
export const RANGE_DAYS_MAX = 1100;

@ObjectType('ReportDateRange')
@InputType('ReportDateRangeInput')
@Rule<ReportDateRange>(({ start, end: value }) => {
  if (!start || !value) return [];
  if (value <= start) return [{ field: 'end', value, reason: 'must be after the start' }];
  const isTooLong = value.getTime() - start.getTime() > RANGE_DAYS_MAX * DAY_MS;
  return isTooLong ? [{ field: 'end', value, reason: `must be at most ${RANGE_DAYS_MAX} days after the start` }] : [];
})
export class ReportDateRange {
  @Field(() => Date, { description: 'From this instant on.' })
  start!: Date;

  @Field(() => Date, { description: 'Before this instant.' })
  end!: Date;
}

const FILTER_MAX = 200;
const tooMany = { message: `must have at most ${FILTER_MAX} values` };

@ObjectType('ReportFilters', { description: 'An empty list lets everything through.' })
@InputType('ReportFiltersInput', { description: 'An empty list lets everything through.' })
export class ReportFilters {
  @Field(() => [ID], { nullable: true })
  @IsOptional()
  @ArrayMaxSize(FILTER_MAX, tooMany)
  @Matches(/^cust_\w{1,60}$/, { each: true, message: 'must be customer ids (cust_…)' })
  customerIds?: string[] | null;

  @Field(() => [String], { nullable: true })
  @IsOptional()
  @ArrayMaxSize(FILTER_MAX, tooMany)
  @MaxLength(100, { each: true, message: 'must have at most 100 characters each' })
  categories?: string[] | null;

  @Field(() => [TicketPriority], { nullable: true })
  priorities?: TicketPriority[] | null;
}

@ObjectType('ReportParameters')
@InputType('ReportParametersInput')
export class ReportParameters {
  @Field(() => ReportDateRange, { nullable: true, description: 'When the tickets were opened. Default: the last 30 days.' })
  @IsOptional()
  @ValidateNested()
  dateRange?: ReportDateRange | null;

  @Field(() => ReportFilters, { nullable: true })
  @IsOptional()
  @ValidateNested()
  filters?: ReportFilters | null;

  @Field(() => [ReportMetric], { nullable: true, description: 'Default: those of the report type. Counts of tickets always come.' })
  metrics?: ReportMetric[] | null;

  @Field(() => [ReportGrouping], { nullable: true, description: 'Default: none, one row for all.' })
  grouping?: ReportGrouping[] | null;

  @Field(() => ReportFormat, { nullable: true, description: 'Default: JSON.' })
  format?: ReportFormat | null;

  @Field(() => String, { nullable: true, description: 'IANA zone in which weeks begin. Default: UTC.' })
  @IsOptional()
  @IsZone()
  timezone?: string | null;
}

@ObjectType('ReportDelivery')
@InputType('ReportDeliveryInput')
export class ReportDelivery {
  @Field(() => ReportDeliveryMethod, { nullable: true, description: 'Default: DOWNLOAD.' })
  method?: ReportDeliveryMethod | null;

  @Field(() => String, { nullable: true, description: 'Who gets a mail with the link when it is ready.' })
  @IsOptional()
  @EmailAddress()
  notificationEmail?: string | null;
}

@ObjectType({ description: 'What came of the mail that tells that a report is ready.' })
export class ReportNotification {
  @Field(() => NotificationStatus)
  status!: NotificationStatus;

  @Field(() => Boolean, {
    description: 'Whether the platform has nothing to send with: it was written to its data folder and reached nobody.',
  })
  simulated!: boolean;

  @Field(() => Int, { description: 'How often it was tried.' })
  attempts!: number;

  @Field(() => String, { nullable: true, description: 'Why the last try failed; null where none has, and when it was sent.' })
  lastError!: string | null;

  @Field(() => Date, { nullable: true })
  sentAt!: Date | null;
}
