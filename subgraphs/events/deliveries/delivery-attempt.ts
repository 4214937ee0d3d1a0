import { Field, Int, ObjectType } from 'type-graphql';

/** One request to a receiver and its result. */
@ObjectType('WebhookDeliveryAttempt', { description: 'One attempt to deliver an event, and what came of it.' })
export class DeliveryAttempt {
  @Field(() => Date, { description: 'When it began.' })
  attemptedAt!: Date;

  @Field(() => String, { description: 'Where it went.' })
  url!: string;

  @Field(() => Int, { nullable: true, description: 'The HTTP status of the response; null where there was none.' })
  responseStatus!: number | null;

  @Field(() => String, { nullable: true, description: 'The first 1 KiB of the response.' })
  responseBody!: string | null;

  @Field(() => String, { nullable: true, description: 'Why there was no response, such as `no answer within 10 s`.' })
  error!: string | null;

  @Field(() => Int, { description: 'How long it took, in milliseconds.' })
  durationMs!: number;
}

/** An attempt as stored in the column of earlier attempts. */
export type StoredAttempt = Omit<DeliveryAttempt, 'attemptedAt' | 'durationMs'> & { attemptedAt: string; durationMs: number | null };

export const attemptOf = ({ attemptedAt, durationMs, ...rest }: Omit<StoredAttempt, 'attemptedAt'> & { attemptedAt: string | Date }) =>
  Object.assign(new DeliveryAttempt(), rest, { attemptedAt: new Date(attemptedAt), durationMs: durationMs ?? 0 });
