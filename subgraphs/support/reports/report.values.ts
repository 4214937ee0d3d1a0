import { ArrayMaxSize, IsOptional, Matches, MaxLength, ValidateNested } from 'class-validator';
import { Field, ID, InputType, Int, ObjectType, registerEnumType } from 'type-graphql';
import { IsZone } from '../../../kernel/graphql/is-zone.ts';
import { ReportDateRange, ReportFormat } from '../../../kernel/reports/report-values.ts';
import { TicketPriority } from '../../../kernel/values/ticket-priority.ts';
import { NotificationStatus } from '../notifications/notification.states.ts';

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
    SLA_COMPLIANCE: {
      description: 'Percentage of the tickets that have so far kept both their response target and their resolution target.',
    },
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
  description: 'Grouping of the rows of a report.',
  valuesConfig: { CATEGORY: { description: 'One category.' }, WEEK: { description: 'One ISO 8601 week.' } },
});

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

  @Field(() => [ReportGrouping], {
    nullable: true,
    description: 'Grouping of the rows: one row for each category or each week. Default: one row for all tickets.',
  })
  grouping?: ReportGrouping[] | null;

  @Field(() => ReportFormat, { nullable: true, description: 'File format. Default: JSON.' })
  format?: ReportFormat | null;

  @Field(() => String, { nullable: true, description: 'IANA time zone in which weeks begin. Default: UTC.' })
  @IsOptional()
  @IsZone()
  timezone?: string | null;
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

  @Field(() => String, {
    nullable: true,
    description: 'Reason why the last attempt failed. Null if no attempt failed, and after the message was sent.',
  })
  lastError!: string | null;

  @Field(() => Date, { nullable: true, description: 'When the mail server accepted it. Null before that time.' })
  sentAt!: Date | null;
}
