import { Field, ID, Int, ObjectType, registerEnumType } from 'type-graphql';
import { TicketPriority } from '../../../kernel/values/ticket-priority.ts';

export enum SlaClockStatus {
  PENDING = 'pending',
  IN_PROGRESS = 'in_progress',
  AT_RISK = 'at_risk',
  MET = 'met',
  BREACHED = 'breached',
}
registerEnumType(SlaClockStatus, {
  name: 'SlaClockStatus',
  description: 'State of a service level clock.',
  valuesConfig: {
    PENDING: { description: 'Work has not started.' },
    IN_PROGRESS: { description: 'Work has started.' },
    AT_RISK: { description: 'At least three quarters of the time have passed.' },
    MET: { description: 'Done in time.' },
    BREACHED: { description: 'Not done in time.' },
  },
});

@ObjectType({ description: 'Clock of the first response, in working time.' })
export class SlaResponse {
  @Field(() => String, { description: 'Target, such as `1 hour`.' })
  target!: string;

  @Field(() => String, { nullable: true, description: 'Time until the response, such as `20 minutes`. Null until there is a response.' })
  actual!: string | null;

  @Field(() => SlaClockStatus, { description: 'State of the clock.' })
  status!: SlaClockStatus;

  @Field(() => Date, { description: 'When the response is due.' })
  dueAt!: Date;

  @Field(() => Date, { nullable: true, description: 'When the response was given. Null before that time.' })
  respondedAt!: Date | null;

  @Field(() => Date, { nullable: true, description: 'When the platform recorded that the response is overdue. Null if it is not overdue.' })
  breachedAt!: Date | null;
}

@ObjectType({ description: 'Clock of the resolution, in working time. It is paused while the ticket waits for its customer.' })
export class SlaResolution {
  @Field(() => String, { description: 'Target, such as `8 hours`.' })
  target!: string;

  @Field(() => String, { description: 'Time used so far, such as `3 hours 20 minutes`.' })
  elapsed!: string;

  @Field(() => SlaClockStatus, { description: 'State of the clock.' })
  status!: SlaClockStatus;

  @Field(() => Date, {
    description:
      'When the resolution is due. While the clock is paused, this is the due time from before the pause. When the clock continues, the due time moves to a later time.',
  })
  dueAt!: Date;

  @Field(() => String, { description: 'Remaining time. Negative when overdue, such as `-1 hour 5 minutes`.' })
  timeRemaining!: string;

  @Field(() => Boolean, { description: 'True while the ticket waits for its customer.' })
  paused!: boolean;

  @Field(() => Date, { nullable: true, description: 'When the clock was paused. Null while the clock is not paused.' })
  pausedAt!: Date | null;

  @Field(() => Date, {
    nullable: true,
    description: 'When the platform recorded that the resolution is overdue. Null if it is not overdue.',
  })
  breachedAt!: Date | null;
}

@ObjectType({ description: 'Escalation level of a ticket and its next escalation.' })
export class SlaEscalation {
  @Field(() => Int, { description: 'Escalation level, 0 to 5. 0 means not escalated.' })
  currentLevel!: number;

  @Field(() => Date, { nullable: true, description: 'When the ticket was last escalated. Null if it was never escalated.' })
  escalatedAt!: Date | null;

  @Field(() => String, { nullable: true, description: 'Reason of the last escalation. Null if there was none.' })
  escalationReason!: string | null;
}

@ObjectType({ description: 'Service level of a ticket at this time.' })
export class SlaStatus {
  @Field(() => ID, { description: 'Ticket that it is about (`ticket_…`).' })
  ticketId!: string;

  @Field(() => TicketPriority, { description: 'Priority of the ticket.' })
  priority!: TicketPriority;

  @Field(() => String, { description: 'Id of the category, such as `connectivity`.' })
  category!: string;

  @Field(() => String, { description: 'Name of the SLA policy, or of the plan if no policy applies.' })
  slaTier!: string;

  @Field(() => SlaResponse, { description: 'Clock of the first response.' })
  responseTime!: SlaResponse;

  @Field(() => SlaResolution, { description: 'Clock of the resolution.' })
  resolutionTime!: SlaResolution;

  @Field(() => SlaEscalation, { description: 'Escalation level and next escalation.' })
  escalation!: SlaEscalation;
}

/** SLA status of a ticket (specification 2.7): targets, due times and current state. */
@ObjectType({ description: 'Service level of a ticket: targets, due times and results. Times count working hours only.' })
export class TicketSla {
  @Field(() => String, { description: 'Name of the SLA policy, or of the plan if no policy applies.' })
  tier!: string;

  @Field(() => String, { description: 'Target for the first response, such as `2 hours`.' })
  responseTime!: string;

  @Field(() => String, { description: 'Target for the resolution, such as `8 hours`.' })
  resolutionTime!: string;

  @Field(() => Date, { description: 'When the first response is due.' })
  responseDue!: Date;

  @Field(() => Date, {
    description:
      'When the resolution is due. While the clock is paused, this is the due time from before the pause. When the clock continues, the due time moves to a later time.',
  })
  resolutionDue!: Date;

  @Field(() => Date, { nullable: true, description: 'When the first response was given. Null before that time.' })
  respondedAt!: Date | null;

  @Field(() => Boolean, {
    nullable: true,
    description: 'True if the response was in time, false if it is overdue. Null while the response is neither given nor overdue.',
  })
  responseMet!: boolean | null;

  @Field(() => String, { description: 'Remaining working time for the resolution, such as `3 hours 20 minutes`. Negative when overdue.' })
  timeRemaining!: string;

  @Field(() => Boolean, { description: 'True if the ticket was escalated.' })
  escalated!: boolean;

  @Field(() => Int, { description: 'Escalation level, 0 to 5. 0 means not escalated.' })
  escalationLevel!: number;

  @Field(() => String, { nullable: true, description: 'Reason of the last escalation. Null if there was none.' })
  escalationReason!: string | null;

  @Field(() => SlaResponse, { description: 'Clock of the first response.' })
  response!: SlaResponse;

  @Field(() => SlaResolution, { description: 'Clock of the resolution.' })
  resolution!: SlaResolution;

  @Field(() => SlaEscalation, { description: 'Escalation level and next escalation.' })
  escalation!: SlaEscalation;
}
