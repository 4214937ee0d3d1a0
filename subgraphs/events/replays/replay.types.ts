import { Field, Float, ID, ObjectType } from 'type-graphql';

@ObjectType({ description: 'A replay that was started. It continues in the background; list the deliveries of the webhook to follow it.' })
export class WebhookReplay {
  @Field(() => ID, { description: 'Webhook that gets the events (`wh_…`).' })
  webhookId!: string;

  @Field(() => Date, { description: 'Start of the period, inclusive.' })
  since!: Date;

  @Field(() => Date, { description: 'End of the period, exclusive.' })
  until!: Date;

  @Field(() => Float, {
    description: 'Number of logged events that the replay checks. The events that match the webhook and the filters are delivered.',
  })
  events!: number;
}
