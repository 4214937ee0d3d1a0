import { IsOptional, Matches, ValidateNested } from 'class-validator';
import { Field, InputType } from 'type-graphql';
import { ReportDelivery, ReportParameters } from './report.values.ts';

@InputType()
export class ReportInput {
  @Field(() => String, {
    description:
      'A name for what the report is about, of your choice. `sla_performance`, `customer_satisfaction` and `escalations` choose metrics where none are asked for; with any other name, such as `usage`, all are counted.',
  })
  @Matches(/^[a-z][a-z0-9_]{0,63}$/, { message: 'must be 1 to 64 lower case letters, digits and underscores, beginning with a letter' })
  reportType!: string;

  @Field(() => ReportParameters, { nullable: true })
  @IsOptional()
  @ValidateNested()
  parameters?: ReportParameters;

  @Field(() => ReportDelivery, { nullable: true })
  @IsOptional()
  @ValidateNested()
  delivery?: ReportDelivery;
}
