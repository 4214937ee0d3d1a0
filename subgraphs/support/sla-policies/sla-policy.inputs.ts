import { ArrayMaxSize, ArrayMinSize, IsISO8601, IsOptional, Matches, ValidateNested } from 'class-validator';
import { Field, InputType } from 'type-graphql';
import { Characters } from '../../../kernel/graphql/characters.ts';
import { IsZone } from '../../../kernel/graphql/is-zone.ts';
import { NotNull } from '../../../kernel/graphql/not-null.ts';
import { Rule } from '../../../kernel/graphql/rule.ts';
import { MAX_ESCALATION_LEVEL, TicketPriority } from '../ticket.states.ts';
import { parseMinutes } from '../working-time/durations.ts';
import { IsMinutes } from '../working-time/is-minutes.ts';
import { BusinessHours } from './sla-policy.values.ts';

const MAX_HOURS = 21;
const MAX_HOLIDAYS = 400;
const PRIORITIES = Object.values(TicketPriority).length;
const LEVELS_REASON = `may have at most ${MAX_ESCALATION_LEVEL} entries`;

@InputType()
@Rule<SlaPolicyTargetInput>(({ escalateAfter: value }) => {
  const levels = (value ?? []).map((time) => parseMinutes(time ?? ''));
  return levels.some((minutes, at) => at > 0 && minutes <= (levels[at - 1] ?? 0))
    ? [{ field: 'escalateAfter', value, reason: 'must have times that are each later than the previous one' }]
    : [];
})
export class SlaPolicyTargetInput {
  @Field(() => TicketPriority)
  priority!: TicketPriority;

  @Field(() => String, { description: 'Such as `1 hour`.' })
  @IsMinutes()
  responseTime!: string;

  @Field(() => String, { description: 'Such as `8 hours`.' })
  @IsMinutes()
  resolutionTime!: string;

  @Field(() => [String], {
    nullable: true,
    description: 'After how long an unresolved ticket gets escalation level 1, 2, … by itself; each later than the one before.',
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

@InputType()
@EachPriorityOnce
export class SlaPolicyCreateInput {
  @Field(() => String, { description: 'The tier that its tickets show; unique in the organization.' })
  @Characters(1, 100)
  name!: string;

  @Field(() => String, { defaultValue: 'UTC', description: 'IANA zone of tickets whose location names none.' })
  @IsZone()
  timezone: string = 'UTC';

  @Field(() => [BusinessHours], { nullable: true, description: 'When the desk works; null is round the clock.' })
  @Hours()
  businessHours?: BusinessHours[] | null;

  @Field(() => [String], { nullable: true, description: 'Dates such as `2026-12-25`.' })
  @IsOptional()
  @Holidays()
  holidays?: string[] | null;

  @Field(() => [SlaPolicyTargetInput], { description: 'One for each priority.' })
  @Targets()
  targets!: SlaPolicyTargetInput[];
}

@InputType({
  description: 'What is left out stays as it is. Tickets keep what was promised when they were opened or given their priority.',
})
@EachPriorityOnce
export class SlaPolicyUpdateInput {
  @Field(() => String, { nullable: true })
  @NotNull()
  @Characters(1, 100)
  name?: string;

  @Field(() => String, { nullable: true })
  @NotNull()
  @IsZone()
  timezone?: string;

  @Field(() => [BusinessHours], { nullable: true, description: 'Null is round the clock.' })
  @Hours()
  businessHours?: BusinessHours[] | null;

  @Field(() => [String], { nullable: true })
  @NotNull()
  @Holidays()
  holidays?: string[];

  @Field(() => [SlaPolicyTargetInput], { nullable: true })
  @NotNull()
  @Targets()
  targets?: SlaPolicyTargetInput[];
}
