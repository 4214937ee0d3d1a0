import { ArrayMaxSize, ArrayMinSize, IsOptional, Matches, Max, MaxLength, Min } from 'class-validator';
import { ArgsType, Field, ID, Int } from 'type-graphql';
import { METRIC_NAME } from '../ingest/sample.rules.ts';
import { BACK_MINUTES } from './live-sample.types.ts';

const NAMES_MAX = 5;
const NAMES = `must have 1 to ${NAMES_MAX} items`;
const LABELS_MAX = 16;
const SECONDS = 'must be between 1 and 60';

/** The series to follow. */
@ArgsType()
export class MetricSamplesArgs {
  @Field(() => [String], { description: `Names of the metrics, 1 to ${NAMES_MAX}.` })
  @ArrayMinSize(1, { message: NAMES })
  @ArrayMaxSize(NAMES_MAX, { message: NAMES })
  @Matches(METRIC_NAME, { each: true, message: 'must be the name of a metric' })
  names!: string[];

  @Field(() => ID, { nullable: true, description: 'Only series of this service (`svc_…`).' })
  serviceId?: string | null;

  @Field(() => [String], {
    nullable: true,
    description: `Only series with these labels, each written as \`name=value\`: at most ${LABELS_MAX}.`,
  })
  @IsOptional()
  @ArrayMaxSize(LABELS_MAX, { message: `must have at most ${LABELS_MAX} items` })
  @Matches(/^[A-Za-z_][\w.-]{0,63}=/, { each: true, message: 'must have the form name=value' })
  labels?: string[] | null;

  @Field(() => Int, { defaultValue: 5, description: 'Shortest time between two messages in seconds, 1 to 60.' })
  @Min(1, { message: SECONDS })
  @Max(60, { message: SECONDS })
  everySeconds!: number;

  @Field(() => String, {
    nullable: true,
    description: `\`position\` of the last message that the client received. Samples since then come first. Default: the samples of the last ${BACK_MINUTES} minutes.`,
  })
  @IsOptional()
  @MaxLength(4_000)
  after?: string | null;
}
