import { Field, ObjectType } from 'type-graphql';
import { TicketPriority } from './ticket.states.ts';

/** Targets in minutes, round the clock, by priority. */
const TARGETS: Record<TicketPriority, SlaTarget> = {
  [TicketPriority.CRITICAL]: { responseMinutes: 15, resolutionMinutes: 4 * 60 },
  [TicketPriority.HIGH]: { responseMinutes: 60, resolutionMinutes: 8 * 60 },
  [TicketPriority.MEDIUM]: { responseMinutes: 4 * 60, resolutionMinutes: 24 * 60 },
  [TicketPriority.LOW]: { responseMinutes: 8 * 60, resolutionMinutes: 72 * 60 },
};

export interface SlaTarget {
  responseMinutes: number;
  resolutionMinutes: number;
}

export const slaTarget = (priority: TicketPriority): SlaTarget => TARGETS[priority];

/** The service level of a ticket (specification 2.7): its targets, when they fall due, and how it stands. */
@ObjectType({ description: 'The service level of a ticket: its targets, when they fall due, and how it stands.' })
export class TicketSla {
  @Field(() => String, { description: 'Target, such as `2 hours`.' })
  responseTime!: string;

  @Field(() => String, { description: 'Target, such as `8 hours`.' })
  resolutionTime!: string;

  @Field(() => Date)
  responseDue!: Date;

  @Field(() => Date)
  resolutionDue!: Date;

  @Field(() => Date, { nullable: true })
  respondedAt!: Date | null;

  @Field(() => Boolean, { nullable: true, description: 'Null until it is decided: answered in time, or past due.' })
  responseMet!: boolean | null;

  @Field(() => String, { description: 'Until the resolution is due, such as `3 hours 20 minutes`; negative once it is past due.' })
  timeRemaining!: string;

  @Field(() => Boolean)
  escalated!: boolean;

  @Field(() => Number, { description: '0 until the ticket is escalated.' })
  escalationLevel!: number;

  @Field(() => String, { nullable: true })
  escalationReason!: string | null;
}
