import { ArrayMaxSize, ArrayMinSize, IsIn, Matches } from 'class-validator';
import { Field, InputType, ObjectType } from 'type-graphql';
import { TicketPriority } from '../../../kernel/values/ticket-priority.ts';
import type { SlaTargets } from '../sla/sla-terms.ts';
import { WEEKDAYS, type Weekday, type WorkingHours } from '../working-time/business-time.ts';
import { formatMinutes } from '../working-time/durations.ts';

const DAYS_REASON = `must be days of the week: ${WEEKDAYS.join(', ')}`;
const TIME = /^([01]\d|2[0-3]):[0-5]\d$/;
const END = /^(([01]\d|2[0-3]):[0-5]\d|24:00)$/;

@ObjectType({ description: 'A range of hours on days of the week. If `to` is not later than `from`, the range ends on the next day.' })
@InputType('BusinessHoursInput', {
  description: 'A range of hours on days of the week. If `to` is not later than `from`, the range ends on the next day.',
})
export class BusinessHours implements WorkingHours {
  @Field(() => [String], { description: 'Days on which the range begins: `mon`, `tue`, `wed`, `thu`, `fri`, `sat`, `sun`.' })
  @ArrayMinSize(1, { message: DAYS_REASON })
  @ArrayMaxSize(WEEKDAYS.length, { message: DAYS_REASON })
  @IsIn(WEEKDAYS, { each: true, message: DAYS_REASON })
  days!: Weekday[];

  @Field(() => String, { description: 'Start of the range, such as `09:00`.' })
  @Matches(TIME, { message: 'must be a time such as 09:00' })
  from!: string;

  @Field(() => String, { description: 'End of the range, such as `17:00`. `24:00` is the end of the day.' })
  @Matches(END, { message: 'must be a time such as 17:00, or 24:00' })
  to!: string;
}

@ObjectType({ description: 'Targets for tickets of one priority, in working time.' })
export class SlaPolicyTarget {
  @Field(() => TicketPriority, { description: 'Priority that the targets are for.' })
  priority!: TicketPriority;

  @Field(() => String, { description: 'Target for the first response, such as `1 hour`.' })
  responseTime!: string;

  @Field(() => String, { description: 'Target for the resolution, such as `8 hours`.' })
  resolutionTime!: string;

  @Field(() => [String], { description: 'Times after which an unresolved ticket is escalated to level 1, 2 and so on.' })
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
