import { Field, Float, Int, ObjectType } from 'type-graphql';

@ObjectType({ description: 'Figures about the tickets that were created in a period, and their results so far.' })
export class TicketFigures {
  @Field(() => Int, { description: 'Number of tickets that were created.' })
  opened!: number;

  @Field(() => Int, { description: 'Number of these tickets that are resolved now.' })
  resolved!: number;

  @Field(() => Float, { nullable: true, description: 'Average hours from creation to resolution. Null if none is resolved.' })
  averageResolutionHours!: number | null;

  @Field(() => Float, {
    nullable: true,
    description:
      'Percentage of the tickets that have so far kept both their response target and their resolution target. Null without tickets.',
  })
  slaCompliance!: number | null;

  @Field(() => Float, { nullable: true, description: 'Percentage of the tickets that were escalated. Null without tickets.' })
  escalationRate!: number | null;

  @Field(() => Float, { nullable: true, description: 'Percentage of the ratings that are 4 or 5. Null without ratings.' })
  customerSatisfaction!: number | null;
}

@ObjectType({ description: 'Figures about the tickets of a period, and of the period before.' })
export class TicketAnalytics extends TicketFigures {
  @Field(() => TicketFigures, { description: 'The same figures for the period before.' })
  before!: TicketFigures;
}
