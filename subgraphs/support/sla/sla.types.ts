import { Field, ID, Int, ObjectType, registerEnumType } from 'type-graphql';
import { TicketPriority } from '../ticket.states.ts';

export enum SlaClockStatus {
  PENDING = 'pending',
  IN_PROGRESS = 'in_progress',
  AT_RISK = 'at_risk',
  MET = 'met',
  BREACHED = 'breached',
}
registerEnumType(SlaClockStatus, {
  name: 'SlaClockStatus',
  description:
    'PENDING: nobody has begun. IN_PROGRESS: somebody works on it. AT_RISK: three quarters of the time have passed. MET: done in time. BREACHED: not done in time.',
});

@ObjectType({ description: 'How soon a ticket must be answered, in working time.' })
export class SlaResponse {
  @Field(() => String, { description: 'Such as `1 hour`.' })
  target!: string;

  @Field(() => String, { nullable: true, description: 'What it took, such as `20 minutes`; null until it is answered.' })
  actual!: string | null;

  @Field(() => SlaClockStatus)
  status!: SlaClockStatus;

  @Field(() => Date)
  dueAt!: Date;

  @Field(() => Date, { nullable: true })
  respondedAt!: Date | null;

  @Field(() => Date, { nullable: true, description: 'When it was found not to have been answered in time.' })
  breachedAt!: Date | null;
}

@ObjectType({ description: 'How soon a ticket must be resolved, in working time that it does not wait for its customer.' })
export class SlaResolution {
  @Field(() => String, { description: 'Such as `8 hours`.' })
  target!: string;

  @Field(() => String, { description: 'What it has taken, such as `3 hours 20 minutes`.' })
  elapsed!: string;

  @Field(() => SlaClockStatus)
  status!: SlaClockStatus;

  @Field(() => Date, { description: 'While the clock stands, when it would have been due; it moves when the clock goes on.' })
  dueAt!: Date;

  @Field(() => String, { description: 'What is left of the target; negative past due, such as `-1 hour 5 minutes`.' })
  timeRemaining!: string;

  @Field(() => Boolean, { description: 'Whether it waits for its customer: the clock stands then.' })
  paused!: boolean;

  @Field(() => Date, { nullable: true })
  pausedAt!: Date | null;

  @Field(() => Date, { nullable: true, description: 'When it was found not to have been resolved in time.' })
  breachedAt!: Date | null;
}

@ObjectType({ description: 'How far up a ticket was escalated.' })
export class SlaEscalation {
  @Field(() => Int, { description: '0 until it is escalated.' })
  currentLevel!: number;

  @Field(() => Date, { nullable: true })
  escalatedAt!: Date | null;

  @Field(() => String, { nullable: true })
  escalationReason!: string | null;
}

@ObjectType({ description: 'The service level of a ticket, as of now.' })
export class SlaStatus {
  @Field(() => ID)
  ticketId!: string;

  @Field(() => TicketPriority)
  priority!: TicketPriority;

  @Field(() => String)
  category!: string;

  @Field(() => String, { description: 'The name of the SLA policy, else of the plan.' })
  slaTier!: string;

  @Field(() => SlaResponse)
  responseTime!: SlaResponse;

  @Field(() => SlaResolution)
  resolutionTime!: SlaResolution;

  @Field(() => SlaEscalation)
  escalation!: SlaEscalation;
}

/** SLA status of a ticket (specification 2.7): targets, due times and current state. */
@ObjectType({ description: 'The service level of a ticket: its targets, when they fall due, and how it stands.' })
export class TicketSla {
  @Field(() => String, { description: 'The name of the SLA policy, else of the plan.' })
  tier!: string;

  @Field(() => String, { description: 'Target, such as `2 hours`.' })
  responseTime!: string;

  @Field(() => String, { description: 'Target, such as `8 hours`.' })
  resolutionTime!: string;

  @Field(() => Date)
  responseDue!: Date;

  @Field(() => Date, { description: 'While the clock stands, when it would have been due; it moves when the clock goes on.' })
  resolutionDue!: Date;

  @Field(() => Date, { nullable: true })
  respondedAt!: Date | null;

  @Field(() => Boolean, { nullable: true, description: 'Null until it is decided: answered in time, or past due.' })
  responseMet!: boolean | null;

  @Field(() => String, {
    description: 'What is left of the working time for the resolution, such as `3 hours 20 minutes`; negative once it is past due.',
  })
  timeRemaining!: string;

  @Field(() => Boolean)
  escalated!: boolean;

  @Field(() => Int, { description: '0 until the ticket is escalated.' })
  escalationLevel!: number;

  @Field(() => String, { nullable: true })
  escalationReason!: string | null;

  @Field(() => SlaResponse)
  response!: SlaResponse;

  @Field(() => SlaResolution)
  resolution!: SlaResolution;

  @Field(() => SlaEscalation)
  escalation!: SlaEscalation;
}
