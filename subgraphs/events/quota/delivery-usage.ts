import { Field, Float, ObjectType } from 'type-graphql';

@ObjectType({ description: 'What the organization has used of the webhook deliveries of its plan in this calendar month (UTC).' })
export class WebhookUsage {
  @Field(() => String, { description: 'Such as `2026-01`.' })
  month!: string;

  @Field(() => Float, {
    description: 'Deliveries that were planned: by an event, a replay or a redelivery. Retries and tests do not count.',
  })
  counted!: number;

  @Field(() => Float, { nullable: true, description: 'Of the plan; null where it has none. What is beyond is recorded as `SKIPPED`.' })
  limit!: number | null;

  @Field(() => Date, { nullable: true, description: 'When the first delivery was beyond the limit; null while none was.' })
  exceededAt!: Date | null;

  @Field(() => Date, { description: 'When the next month begins.' })
  resetAt!: Date;
}
