import { Field, Float, ID, ObjectType } from 'type-graphql';

@ObjectType({ description: 'A replay that began. It goes on by itself; its deliveries are in the list of the webhook.' })
export class WebhookReplay {
  @Field(() => ID)
  webhookId!: string;

  @Field(() => Date, { description: 'Events that happened from this instant on.' })
  since!: Date;

  @Field(() => Date, { description: 'Events that happened before this instant.' })
  until!: Date;

  @Field(() => Float, { description: 'How many logged events are looked at; what the filters let through of them is delivered.' })
  events!: number;
}
