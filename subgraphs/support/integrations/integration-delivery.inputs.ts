import { ArrayMaxSize, IsOptional } from 'class-validator';
import { Field, InputType } from 'type-graphql';
import { IntegrationDeliveryStatus } from './integration-delivery.entity.ts';

const MAX_NAMES = 50;

@InputType()
export class IntegrationDeliveryFilter {
  @Field(() => [IntegrationDeliveryStatus], { nullable: true })
  status?: IntegrationDeliveryStatus[];

  @Field(() => [String], { nullable: true, description: 'Names of events, such as `ticket.created`.' })
  @IsOptional()
  @ArrayMaxSize(MAX_NAMES, { message: `may have at most ${MAX_NAMES} names` })
  event?: string[];

  @Field(() => Date, { nullable: true, description: 'Planned from this instant on.' })
  createdAfter?: Date;

  @Field(() => Date, { nullable: true, description: 'Planned before this instant.' })
  createdBefore?: Date;
}
