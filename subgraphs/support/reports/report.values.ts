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
  description: 'A figure about the tickets that were created in the period.',
  valuesConfig: {
    RESOLUTION_TIME: { description: 'Average hours from creation to resolution.' },
    SLA_COMPLIANCE: { description: 'Percentage of the tickets that have not missed their response target or resolution target so far.' },
    CUSTOMER_SATISFACTION: { description: 'Percentage of the ratings that are 4 or 5.' },
    ESCALATION_RATE: { description: 'Percentage of the tickets that were escalated.' },
    FIRST_CONTACT_RESOLUTION: {
      description: 'Percentage of the resolved tickets that were never reopened and needed at most one reply of an agent.',
    },
  },
});

export enum ReportGrouping {
  CATEGORY = 'category',
  WEEK = 'week',
}
registerEnumType(ReportGrouping, {
  name: 'ReportGrouping',
  description: 'What each row of a report represents.',
  valuesConfig: { CATEGORY: { description: 'One category.' }, WEEK: { description: 'One ISO 8601 week.' } },
});

export enum ReportFormat {
  JSON = 'json',
  CSV = 'csv',
}
registerEnumType(ReportFormat, {
  name: 'ReportFormat',
  description: 'File format of a report.',
  valuesConfig: { JSON: { description: 'A JSON document.' }, CSV: { description: 'Comma-separated values with a header row.' } },
});

export enum ReportDeliveryMethod {
  DOWNLOAD = 'download',
}
registerEnumType(ReportDeliveryMethod, {
  name: 'ReportDeliveryMethod',
  description: 'Way in which a report is delivered.',
  valuesConfig: { DOWNLOAD: { description: 'A file to download.' } },
});

/** Maximum number of days of a report's date range: three years, rounded up. */
export const RANGE_DAYS_MAX = 1100;

@ObjectType('ReportDateRange', { description: 'A period of at most three years.' })
@InputType('ReportDateRangeInput', { description: 'A period of at most three years.' })
@Rule<ReportDateRange>(({ start, end: value }) => {
  if (!start || !value) return [];
  if (value <= start) return [{ field: 'end', value, reason: 'must be after the start' }];
  const isTooLong = value.getTime() - start.getTime() > RANGE_DAYS_MAX * DAY_MS;
  return isTooLong ? [{ field: 'end', value, reason: `must be at most ${RANGE_DAYS_MAX} days after the start` }] : [];
})
export class ReportDateRange {
  @Field(() => Date, { description: 'Start, inclusive.' })
  start!: Date;

  @Field(() => Date, { description: 'End, exclusive.' })
  end!: Date;
}

const FILTER_MAX = 200;
const tooMany = { message: `must have at most ${FILTER_MAX} values` };

@ObjectType('ReportFilters', { description: 'Conditions that the tickets of a report must meet. An empty list matches all.' })
@InputType('ReportFiltersInput', { description: 'Conditions that the tickets of a report must meet. An empty list matches all.' })
export class ReportFilters {
  @Field(() => [ID], {
    nullable: true,
    description: `Only tickets of these customers, by customer number (\`cust_…\`). At most ${FILTER_MAX}.`,
  })
  @IsOptional()
  @ArrayMaxSize(FILTER_MAX, tooMany)
  @Matches(/^cust_\w{1,60}$/, { each: true, message: 'must be customer ids (cust_…)' })
  customerIds?: string[] | null;

  @Field(() => [String], {
    nullable: true,
    description: `Only tickets of these categories, such as \`connectivity\`. At most ${FILTER_MAX}.`,
  })
  @IsOptional()
  @ArrayMaxSize(FILTER_MAX, tooMany)
  @MaxLength(100, { each: true, message: 'must have at most 100 characters each' })
  categories?: string[] | null;

  @Field(() => [TicketPriority], { nullable: true, description: 'Only tickets with one of these priorities.' })
  priorities?: TicketPriority[] | null;
}

@ObjectType('ReportParameters', { description: 'Scope and content of a report.' })
@InputType('ReportParametersInput', { description: 'Scope and content of a report.' })
export class ReportParameters {
  @Field(() => ReportDateRange, { nullable: true, description: 'When the tickets were created. Default: the last 30 days.' })
  @IsOptional()
  @ValidateNested()
  dateRange?: ReportDateRange | null;

  @Field(() => ReportFilters, { nullable: true, description: 'Conditions that tickets must meet. Default: none.' })
  @IsOptional()
  @ValidateNested()
  filters?: ReportFilters | null;

  @Field(() => [ReportMetric], {
    nullable: true,
    description: 'Figures to include. Default: the figures of the report type. Numbers of tickets are always included.',
  })
  metrics?: ReportMetric[] | null;

  @Field(() => [ReportGrouping], { nullable: true, description: 'What each row represents. Default: one row for all tickets.' })
  grouping?: ReportGrouping[] | null;

  @Field(() => ReportFormat, { nullable: true, description: 'File format. Default: JSON.' })
  format?: ReportFormat | null;

  @Field(() => String, { nullable: true, description: 'IANA time zone in which weeks begin. Default: UTC.' })
  @IsOptional()
  @IsZone()
  timezone?: string | null;
}

@ObjectType('ReportDelivery', { description: 'How a report is delivered.' })
@InputType('ReportDeliveryInput', { description: 'How a report is delivered.' })
export class ReportDelivery {
  @Field(() => ReportDeliveryMethod, { nullable: true, description: 'Way of delivery. Default: `DOWNLOAD`.' })
  method?: ReportDeliveryMethod | null;

  @Field(() => String, {
    nullable: true,
    description: 'E-mail address that gets a message with the link when the report is ready. Default: nobody.',
  })
  @IsOptional()
  @EmailAddress()
  notificationEmail?: string | null;
}

@ObjectType({ description: 'E-mail about a finished report.' })
export class ReportNotification {
  @Field(() => NotificationStatus, { description: 'Result so far.' })
  status!: NotificationStatus;

  @Field(() => Boolean, {
    description: 'True if no mail server is configured. The message was written to the data folder and reached nobody.',
  })
  simulated!: boolean;

  @Field(() => Int, { description: 'Number of attempts so far.' })
  attempts!: number;

  @Field(() => String, { nullable: true, description: 'Reason why the last attempt failed. Null if none failed, and once it is sent.' })
  lastError!: string | null;

  @Field(() => Date, { nullable: true, description: 'When the mail server accepted it. Null before that time.' })
  sentAt!: Date | null;
}
