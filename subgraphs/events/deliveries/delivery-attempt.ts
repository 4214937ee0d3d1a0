import { Field, Int, ObjectType } from 'type-graphql';

/** One HTTP request to a receiver, and its result. */
@ObjectType('WebhookDeliveryAttempt', { description: 'One attempt to deliver an event, and its result.' })
export class DeliveryAttempt {
  @Field(() => Date, { description: 'When the attempt began.' })
  attemptedAt!: Date;

  @Field(() => String, { description: 'Address that the attempt was sent to.' })
  url!: string;

  @Field(() => Int, { nullable: true, description: 'HTTP status of the response. Null if there was no response.' })
  responseStatus!: number | null;

  @Field(() => String, { nullable: true, description: 'First 1 KiB of the response. Null if there was no response.' })
  responseBody!: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'Reason why there was no response, such as a timeout. Null if there was a response.',
  })
  error!: string | null;

  @Field(() => Int, { description: 'Duration in milliseconds.' })
  durationMs!: number;
}

/** An attempt in the form that the JSON column `earlier_attempts` stores. */
export type StoredAttempt = Omit<DeliveryAttempt, 'attemptedAt' | 'durationMs'> & { attemptedAt: string; durationMs: number | null };

export const attemptOf = ({ attemptedAt, durationMs, ...rest }: Omit<StoredAttempt, 'attemptedAt'> & { attemptedAt: string | Date }) =>
  Object.assign(new DeliveryAttempt(), rest, { attemptedAt: new Date(attemptedAt), durationMs: durationMs ?? 0 });
