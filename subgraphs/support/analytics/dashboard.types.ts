import { Field, Float, Int, ObjectType } from 'type-graphql';

@ObjectType()
export class DashboardPeriod {
  @Field(() => Date, { description: 'Its first instant: the midnight of its first day in the zone, or so many hours ago.' })
  start!: Date;

  @Field(() => Date, { description: 'The instant at which it ends, which is outside: now, or the midnight after its last day.' })
  end!: Date;

  @Field(() => String)
  timezone!: string;
}

@ObjectType()
export class DashboardOverview {
  @Field(() => Int, { description: 'Tickets that were opened in the period. All other numbers are about these.' })
  totalTickets!: number;

  @Field(() => Int, { description: 'Those that are resolved now.' })
  ticketsResolved!: number;

  @Field(() => Int, { description: 'Those that are not: the two are the total.' })
  ticketsOpen!: number;

  @Field(() => Float, { nullable: true, description: 'Hours from opening to resolution, of those resolved; null where none is.' })
  avgResolutionTime!: number | null;

  @Field(() => Float, {
    nullable: true,
    description: 'Percent that have missed neither their response nor their resolution time so far; null without tickets.',
  })
  slaCompliance!: number | null;

  @Field(() => Float, { nullable: true, description: 'Percent of their ratings that are 4 or 5; null where nobody rated.' })
  customerSatisfaction!: number | null;
}

@ObjectType()
export class DashboardCategory {
  @Field(() => String)
  category!: string;

  @Field(() => Int, { description: 'Tickets of the category; all categories together are the total.' })
  count!: number;

  @Field(() => Float, { nullable: true, description: 'Hours, as in the overview.' })
  avgResolutionTime!: number | null;

  @Field(() => Float, { nullable: true, description: 'Percent, as in the overview.' })
  slaCompliance!: number | null;
}

@ObjectType()
export class TicketsOfDay {
  @Field(() => String, { description: 'A date in the zone, such as 2026-01-31.' })
  date!: string;

  @Field(() => Int)
  count!: number;
}

@ObjectType()
export class ResolutionOfWeek {
  @Field(() => String, { description: 'A week of ISO 8601, such as 2026-W05; the first and the last may be cut by the period.' })
  week!: string;

  @Field(() => Float, { nullable: true, description: 'Hours to the resolution of what was opened in it; null where none is resolved.' })
  avgHours!: number | null;
}

@ObjectType()
export class DashboardTrends {
  @Field(() => [TicketsOfDay], { description: 'Every day of the period, those without a ticket too.' })
  ticketsPerDay!: TicketsOfDay[];

  @Field(() => [ResolutionOfWeek], { description: 'Every week that the period touches.' })
  resolutionTimeTrend!: ResolutionOfWeek[];
}

@ObjectType({ description: 'How the desk did: the tickets that were opened in a period, and what became of them until now.' })
export class SupportDashboard {
  @Field(() => DashboardPeriod)
  period!: DashboardPeriod;

  @Field(() => DashboardOverview)
  overview!: DashboardOverview;

  @Field(() => [DashboardCategory], { description: 'Those with tickets, by name.' })
  categories!: DashboardCategory[];

  @Field(() => DashboardTrends)
  trends!: DashboardTrends;
}
