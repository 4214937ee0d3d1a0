import { Field, Float, ObjectType } from 'type-graphql';

@ObjectType({ description: 'Webhook deliveries of the organization in this calendar month (UTC), and the limit of its plan.' })
export class WebhookUsage {
  @Field(() => String, { description: 'Calendar month, such as `2026-01`.' })
  month!: string;

  @Field(() => Float, {
    description: 'Number of deliveries created in this month, including replays and redeliveries. Retries and tests do not count.',
  })
  counted!: number;

  @Field(() => Float, {
    nullable: true,
    description: 'Limit of the plan. Null if the plan has none. Deliveries beyond the limit are recorded as `SKIPPED`.',
  })
  limit!: number | null;

  @Field(() => Date, {
    nullable: true,
    description: 'When the limit was exceeded for the first time this month. Null if the limit was not exceeded.',
  })
  exceededAt!: Date | null;

  @Field(() => Date, { description: 'When the next month begins.' })
  resetAt!: Date;
}
