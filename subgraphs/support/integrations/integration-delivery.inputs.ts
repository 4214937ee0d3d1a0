import { ArrayMaxSize, IsOptional } from 'class-validator';
import { Field, InputType } from 'type-graphql';
import { IntegrationDeliveryStatus } from './integration-delivery.entity.ts';

const MAX_NAMES = 50;

@InputType({ description: 'Conditions for a list of deliveries. A delivery must meet all of them.' })
export class IntegrationDeliveryFilter {
  @Field(() => [IntegrationDeliveryStatus], { nullable: true })
  status?: IntegrationDeliveryStatus[];

  @Field(() => [String], { nullable: true, description: `Event names, such as \`ticket.created\`. At most ${MAX_NAMES}.` })
  @IsOptional()
  @ArrayMaxSize(MAX_NAMES, { message: `may have at most ${MAX_NAMES} names` })
  event?: string[];

  @Field(() => Date, { nullable: true, description: 'Only deliveries created at this time or later.' })
  createdAfter?: Date;

  @Field(() => Date, { nullable: true, description: 'Only deliveries created before this time.' })
  createdBefore?: Date;
}
