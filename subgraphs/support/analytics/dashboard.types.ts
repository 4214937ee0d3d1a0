import { Field, Float, Int, ObjectType } from 'type-graphql';

@ObjectType({ description: 'Period of a dashboard.' })
export class DashboardPeriod {
  @Field(() => Date, { description: 'Start, inclusive: midnight of the first day in the time zone, or the given number of hours ago.' })
  start!: Date;

  @Field(() => Date, { description: 'End, exclusive: now, or midnight after the last day.' })
  end!: Date;

  @Field(() => String, { description: 'IANA time zone in which days begin.' })
  timezone!: string;
}

@ObjectType({ description: 'Figures over all categories.' })
export class DashboardOverview {
  @Field(() => Int, { description: 'Number of tickets created in the period. All other figures are about these tickets.' })
  totalTickets!: number;

  @Field(() => Int, { description: 'Number of tickets that are resolved now.' })
  ticketsResolved!: number;

  @Field(() => Int, { description: 'Number of tickets that are not resolved now.' })
  ticketsOpen!: number;

  @Field(() => Float, { nullable: true, description: 'Average time from creation to resolution in hours. Null if none is resolved.' })
  avgResolutionTime!: number | null;

  @Field(() => Float, {
    nullable: true,
    description:
      'Percentage of the tickets that have so far kept both their response target and their resolution target. Null without tickets.',
  })
  slaCompliance!: number | null;

  @Field(() => Float, { nullable: true, description: 'Percentage of the ratings that are 4 or 5. Null without ratings.' })
  customerSatisfaction!: number | null;
}

@ObjectType({ description: 'Figures of one category.' })
export class DashboardCategory {
  @Field(() => String, { description: 'Id of the category, such as `connectivity`.' })
  category!: string;

  @Field(() => Int, { description: 'Number of tickets created in the period.' })
  count!: number;

  @Field(() => Float, { nullable: true, description: 'Average time from creation to resolution in hours. Null if none is resolved.' })
  avgResolutionTime!: number | null;

  @Field(() => Float, {
    nullable: true,
    description:
      'Percentage of the tickets that have so far kept both their response target and their resolution target. Null without tickets.',
  })
  slaCompliance!: number | null;
}

@ObjectType({ description: 'Tickets created on one day.' })
export class TicketsOfDay {
  @Field(() => String, { description: 'Day in the time zone, such as 2026-01-31.' })
  date!: string;

  @Field(() => Int, { description: 'Number of tickets.' })
  count!: number;
}

@ObjectType({ description: 'Resolution time of the tickets created in one week.' })
export class ResolutionOfWeek {
  @Field(() => String, { description: 'ISO 8601 week, such as 2026-W05. The first and last week can be incomplete.' })
  week!: string;

  @Field(() => Float, { nullable: true, description: 'Average time to resolution in hours. Null if none is resolved.' })
  avgHours!: number | null;
}

@ObjectType({ description: 'Figures over time.' })
export class DashboardTrends {
  @Field(() => [TicketsOfDay], { description: 'One entry for every day of the period, including days without tickets.' })
  ticketsPerDay!: TicketsOfDay[];

  @Field(() => [ResolutionOfWeek], { description: 'One entry for every week that overlaps the period.' })
  resolutionTimeTrend!: ResolutionOfWeek[];
}

@ObjectType({ description: 'Key figures about the tickets that were created in a period, and their results so far.' })
export class SupportDashboard {
  @Field(() => DashboardPeriod, { description: 'Period that was evaluated.' })
  period!: DashboardPeriod;

  @Field(() => DashboardOverview, { description: 'Figures over all categories.' })
  overview!: DashboardOverview;

  @Field(() => [DashboardCategory], { description: 'Figures of each category that has tickets, sorted by name.' })
  categories!: DashboardCategory[];

  @Field(() => DashboardTrends, { description: 'Figures over time.' })
  trends!: DashboardTrends;
}
