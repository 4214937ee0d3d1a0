import { IsOptional } from 'class-validator';
import { Directive, Field, InputType, ObjectType, registerEnumType } from 'type-graphql';
import { EmailAddress } from '../graphql/email-address.ts';
import { Rule } from '../graphql/rule.ts';
import { DAY_MS } from '../values/days.ts';

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

/** A separate class, because an input type cannot have the directive of the object type. */
@ObjectType('ReportDelivery', { description: 'How a report is delivered.' })
@Directive('@shareable')
export class ReportDelivery {
  @Field(() => ReportDeliveryMethod, { nullable: true, description: 'Way of delivery.' })
  method?: ReportDeliveryMethod | null;

  @Field(() => String, {
    nullable: true,
    description: 'E-mail address that gets a message with the link when the report is ready. Null for nobody.',
  })
  notificationEmail?: string | null;
}

@InputType('ReportDeliveryInput', { description: 'How a report is delivered.' })
export class ReportDeliveryInput {
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
