import { ArrayMaxSize, ArrayMinSize, IsISO8601, IsOptional, Matches, ValidateNested } from 'class-validator';
import { Field, InputType } from 'type-graphql';
import { Characters } from '../../../kernel/graphql/characters.ts';
import { IsZone } from '../../../kernel/graphql/is-zone.ts';
import { NotNull } from '../../../kernel/graphql/not-null.ts';
import { Rule } from '../../../kernel/graphql/rule.ts';
import { TicketPriority } from '../../../kernel/values/ticket-priority.ts';
import { MAX_ESCALATION_LEVEL } from '../ticket.states.ts';
import { parseMinutes } from '../working-time/durations.ts';
import { IsMinutes } from '../working-time/is-minutes.ts';
import { BusinessHours } from './sla-policy.values.ts';

const MAX_HOURS = 21;
const MAX_HOLIDAYS = 400;
const PRIORITIES = Object.values(TicketPriority).length;
const LEVELS_REASON = `may have at most ${MAX_ESCALATION_LEVEL} entries`;

@InputType({ description: 'Targets for tickets of one priority, in working time.' })
@Rule<SlaPolicyTargetInput>(({ escalateAfter: value }) => {
  const levels = (value ?? []).map((time) => parseMinutes(time ?? ''));
  return levels.some((minutes, at) => at > 0 && minutes <= (levels[at - 1] ?? 0))
    ? [{ field: 'escalateAfter', value, reason: 'must have times that are each later than the previous one' }]
    : [];
})
export class SlaPolicyTargetInput {
  @Field(() => TicketPriority, { description: 'Priority that the targets are for.' })
  priority!: TicketPriority;

  @Field(() => String, { description: 'Target for the first response, such as `1 hour`.' })
  @IsMinutes()
  responseTime!: string;

  @Field(() => String, { description: 'Target for the resolution, such as `8 hours`.' })
  @IsMinutes()
  resolutionTime!: string;

  @Field(() => [String], {
    nullable: true,
    description: `Times after which an unresolved ticket is escalated to level 1, 2 and so on, each longer than the time before it. At most ${MAX_ESCALATION_LEVEL}.`,
  })
  @IsOptional()
  @ArrayMaxSize(MAX_ESCALATION_LEVEL, { message: LEVELS_REASON })
  @IsMinutes({ each: true })
  escalateAfter?: string[] | null;
}

const Hours = (): PropertyDecorator => (target, key) => {
  IsOptional()(target, key);
  ArrayMinSize(1, { message: 'must have at least one entry; use null for around the clock' })(target, key);
  ArrayMaxSize(MAX_HOURS, { message: `may have at most ${MAX_HOURS} entries` })(target, key);
  ValidateNested({ each: true })(target, key);
};
const Holidays = (): PropertyDecorator => (target, key) => {
  ArrayMaxSize(MAX_HOLIDAYS, { message: `may have at most ${MAX_HOLIDAYS} entries` })(target, key);
  Matches(/^\d{4}-\d{2}-\d{2}$/, { each: true, message: 'must be dates such as 2026-12-25' })(target, key);
  IsISO8601({ strict: true }, { each: true, message: 'must be valid dates such as 2026-12-25' })(target, key);
};
const Targets = (): PropertyDecorator => (target, key) => {
  const all = `must have each of the ${PRIORITIES} priorities exactly once`;
  ArrayMinSize(PRIORITIES, { message: all })(target, key);
  ArrayMaxSize(PRIORITIES, { message: all })(target, key);
  ValidateNested({ each: true })(target, key);
};

const EachPriorityOnce = Rule<{ targets?: SlaPolicyTargetInput[] }>(({ targets = [] }) => {
  const priorities = targets.map((target) => target?.priority);
  return priorities.flatMap((value, index) =>
    value && priorities.indexOf(value) < index ? [{ field: `targets.${index}.priority`, value, reason: 'must be unique' }] : [],
  );
});

@InputType({ description: 'SLA policy to create.' })
@EachPriorityOnce
export class SlaPolicyCreateInput {
  @Field(() => String, { description: 'Name, shown as the tier of its tickets. Unique in the organization, 1 to 100 characters.' })
  @Characters(1, 100)
  name!: string;

  @Field(() => String, { defaultValue: 'UTC', description: 'IANA time zone for tickets whose location has none.' })
  @IsZone()
  timezone: string = 'UTC';

  @Field(() => [BusinessHours], {
    nullable: true,
    description: `Business hours, in which the clocks of the service level run: at most ${MAX_HOURS} ranges. Null means all hours.`,
  })
  @Hours()
  businessHours?: BusinessHours[] | null;

  @Field(() => [String], { nullable: true, description: `Days without business hours, such as \`2026-12-25\`. At most ${MAX_HOLIDAYS}.` })
  @IsOptional()
  @Holidays()
  holidays?: string[] | null;

  @Field(() => [SlaPolicyTargetInput], { description: 'Targets, one entry for each priority.' })
  @Targets()
  targets!: SlaPolicyTargetInput[];
}

@InputType({
  description: 'Fields to change. Omit a field to keep its value. Existing tickets keep their targets until their priority changes.',
})
@EachPriorityOnce
export class SlaPolicyUpdateInput {
  @Field(() => String, {
    nullable: true,
    description: 'Name, shown as the tier of its tickets. Unique in the organization, 1 to 100 characters.',
  })
  @NotNull()
  @Characters(1, 100)
  name?: string;

  @Field(() => String, { nullable: true, description: 'IANA time zone for tickets whose location has none.' })
  @NotNull()
  @IsZone()
  timezone?: string;

  @Field(() => [BusinessHours], {
    nullable: true,
    description: `Business hours, in which the clocks of the service level run: at most ${MAX_HOURS} ranges. Null means all hours.`,
  })
  @Hours()
  businessHours?: BusinessHours[] | null;

  @Field(() => [String], {
    nullable: true,
    description: `Days without business hours, such as \`2026-12-25\`. At most ${MAX_HOLIDAYS}. Replaces the whole list.`,
  })
  @NotNull()
  @Holidays()
  holidays?: string[];

  @Field(() => [SlaPolicyTargetInput], { nullable: true, description: 'Targets, one entry for each priority. Replaces the whole list.' })
  @NotNull()
  @Targets()
  targets?: SlaPolicyTargetInput[];
}
