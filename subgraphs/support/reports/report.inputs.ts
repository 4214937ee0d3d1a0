import { IsOptional, Matches, ValidateNested } from 'class-validator';
import { Field, InputType } from 'type-graphql';
import { ReportDeliveryInput } from '../../../kernel/reports/report-values.ts';
import { ReportParameters } from './report.values.ts';

@InputType({ description: 'Report to generate.' })
export class ReportInput {
  @Field(() => String, {
    description:
      'Topic of the report: 1 to 64 lower-case letters, digits and underscores. `sla_performance`, `customer_satisfaction` and `escalations` select metrics by default; any other name selects all.',
  })
  @Matches(/^[a-z][a-z0-9_]{0,63}$/, { message: 'must be 1 to 64 lower case letters, digits and underscores, beginning with a letter' })
  reportType!: string;

  @Field(() => ReportParameters, {
    nullable: true,
    description: 'Scope and content of the report. Default: all tickets of the last 30 days.',
  })
  @IsOptional()
  @ValidateNested()
  parameters?: ReportParameters;

  @Field(() => ReportDeliveryInput, { nullable: true, description: 'How the report is delivered. Default: a file to download.' })
  @IsOptional()
  @ValidateNested()
  delivery?: ReportDeliveryInput;
}
