import { Field, Float, ObjectType } from 'type-graphql';

@ObjectType({ description: 'Number of API requests of the organization.' })
export class ApiRequestFigures {
  @Field(() => Float, { description: 'Number of requests, without weights.' })
  requests!: number;

  @Field(() => Float, { description: 'Weighted requests, as they count for the hourly limit.' })
  weightedRequests!: number;
}

@ObjectType({ description: 'API requests of one day.' })
export class ApiRequestsOfDay extends ApiRequestFigures {
  @Field(() => String, { description: 'Date in the time zone of the period, such as 2026-01-31.' })
  date!: string;
}

@ObjectType({
  description:
    'API requests of the organization in a period, with a few seconds of delay. They are counted by hours of UTC, so an hour counts for the day in which it begins.',
})
export class ApiRequestAnalytics extends ApiRequestFigures {
  @Field(() => ApiRequestFigures, {
    nullable: true,
    description: 'The same figures for the period before. Null if its hours are not kept any more.',
  })
  before!: ApiRequestFigures | null;

  @Field(() => [ApiRequestsOfDay], { description: 'Every day of the period, oldest first. At most 366.' })
  byDay!: ApiRequestsOfDay[];
}
