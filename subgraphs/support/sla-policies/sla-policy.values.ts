import { ArrayMaxSize, ArrayMinSize, IsIn, Matches } from 'class-validator';
import { Field, InputType, ObjectType } from 'type-graphql';
import type { SlaTargets } from '../sla/sla-terms.ts';
import { TicketPriority } from '../ticket.states.ts';
import { WEEKDAYS, type Weekday, type WorkingHours } from '../working-time/business-time.ts';
import { formatMinutes } from '../working-time/durations.ts';

const DAYS_REASON = `must be days of the week: ${WEEKDAYS.join(', ')}`;
const TIME = /^([01]\d|2[0-3]):[0-5]\d$/;
const END = /^(([01]\d|2[0-3]):[0-5]\d|24:00)$/;

@ObjectType({ description: 'Hours of days of the week. Those that end before they begin end on the next day.' })
@InputType('BusinessHoursInput')
export class BusinessHours implements WorkingHours {
  @Field(() => [String], { description: 'The days on which they begin: `mon`, `tue`, `wed`, `thu`, `fri`, `sat`, `sun`.' })
  @ArrayMinSize(1, { message: DAYS_REASON })
  @ArrayMaxSize(WEEKDAYS.length, { message: DAYS_REASON })
  @IsIn(WEEKDAYS, { each: true, message: DAYS_REASON })
  days!: Weekday[];

  @Field(() => String, { description: 'Such as `09:00`.' })
  @Matches(TIME, { message: 'must be a time such as 09:00' })
  from!: string;

  @Field(() => String, { description: 'Such as `17:00`; `24:00` is the end of the day.' })
  @Matches(END, { message: 'must be a time such as 17:00, or 24:00' })
  to!: string;
}

@ObjectType({ description: 'What is promised for a priority, in working time.' })
export class SlaPolicyTarget {
  @Field(() => TicketPriority)
  priority!: TicketPriority;

  @Field(() => String, { description: 'Such as `1 hour`.' })
  responseTime!: string;

  @Field(() => String, { description: 'Such as `8 hours`.' })
  resolutionTime!: string;

  @Field(() => [String], { description: 'After how long an unresolved ticket gets escalation level 1, 2, … by itself.' })
  escalateAfter!: string[];
}

/** Converts targets to their GraphQL form, most urgent priority first. */
export const shownTargets = (targets: SlaTargets): SlaPolicyTarget[] =>
  Object.values(TicketPriority)
    .toReversed()
    .map((priority) => {
      const { responseMinutes, resolutionMinutes, escalateAfterMinutes } = targets[priority];
      return {
        priority,
        responseTime: formatMinutes(responseMinutes),
        resolutionTime: formatMinutes(resolutionMinutes),
        escalateAfter: escalateAfterMinutes.map(formatMinutes),
      };
    });
