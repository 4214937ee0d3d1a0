import { ArrayMaxSize, IsOptional } from 'class-validator';
import { Field, ID, InputType } from 'type-graphql';
import { Characters, Name } from '../../../kernel/graphql/characters.ts';
import { NotNull } from '../../../kernel/graphql/not-null.ts';
import { Rule, type Valid } from '../../../kernel/graphql/rule.ts';
import { IncidentSeverity, IncidentSource, IncidentStatus } from './incident.states.ts';

/** Maximum number of services that a request can add to an incident. */
const MAX_NAMED = 50;
const SERVICES_REASON = `may have at most ${MAX_NAMED} entries`;
const MESSAGE_MAX = 4000;

@InputType({ description: 'Conditions for a list of incidents. An incident must meet all of them.' })
@Rule<IncidentFilter>(({ from, to }) => (from && to && from > to ? [{ field: 'to', value: to, reason: 'must not be before `from`' }] : []))
export class IncidentFilter {
  @Field(() => [IncidentStatus], { nullable: true })
  status?: IncidentStatus[];

  @Field(() => [IncidentSeverity], { nullable: true, description: 'Only incidents with one of these severities.' })
  severity?: IncidentSeverity[];

  @Field(() => [IncidentSource], { nullable: true, description: 'Only incidents that were opened in one of these ways.' })
  source?: IncidentSource[];

  @Field(() => ID, { nullable: true, description: 'Only incidents that disturb this service (`svc_…`).' })
  serviceId?: string;

  @Field(() => Date, { nullable: true, description: 'Only incidents that began at this time or later.' })
  from?: Date;

  @Field(() => Date, { nullable: true, description: 'Only incidents that began before this time.' })
  to?: Date;
}

@InputType({ description: 'Incident to open.' })
@Rule<IncidentCreateInput>(onceEach)
export class IncidentCreateInput {
  @Field(() => String, { description: 'What is wrong, in a few words, 1 to 200 characters.' })
  @Name(200)
  title!: string;

  @Field(() => IncidentSeverity, { defaultValue: IncidentSeverity.MAJOR, description: 'How serious the incident is.' })
  severity: IncidentSeverity = IncidentSeverity.MAJOR;

  @Field(() => [ID], {
    nullable: true,
    description: `Services that are disturbed (\`svc_…\`), at most ${MAX_NAMED}. Required for callers who are limited to accounts.`,
  })
  @IsOptional()
  @ArrayMaxSize(MAX_NAMED, { message: SERVICES_REASON })
  serviceIds?: string[] | null;

  @Field(() => String, {
    nullable: true,
    description: `First entry of the timeline, 1 to ${MESSAGE_MAX} characters. Everybody who sees the incident can read it.`,
  })
  @IsOptional()
  @Characters(1, MESSAGE_MAX)
  message?: string | null;

  @Field(() => Date, { nullable: true, description: 'When the disturbance began. Must not be in the future. Default: now.' })
  startedAt?: Date | null;
}

@InputType({ description: 'Fields to change. Omit a field to keep its value.' })
@Rule<IncidentUpdateInput>(onceEach)
export class IncidentUpdateInput {
  @Field(() => String, { nullable: true, description: 'What is wrong, in a few words, 1 to 200 characters.' })
  @NotNull()
  @Name(200)
  title?: string;

  @Field(() => IncidentSeverity, {
    nullable: true,
    description: 'How serious the incident is. If you set the severity, measurements no longer raise it.',
  })
  @NotNull()
  severity?: IncidentSeverity;

  @Field(() => IncidentStatus, {
    nullable: true,
    description:
      'How far the work has come. If you set the status, the incident no longer resolves itself, unless `resolvesItself` is true.',
  })
  @NotNull()
  status?: IncidentStatus;

  @Field(() => String, {
    nullable: true,
    description: `Entry of the timeline, 1 to ${MESSAGE_MAX} characters. Everybody who sees the incident can read it.`,
  })
  @NotNull()
  @Characters(1, MESSAGE_MAX)
  message?: string;

  @Field(() => [ID], {
    nullable: true,
    description: `Services to add (\`svc_…\`), at most ${MAX_NAMED}. Services that the incident already has are left as they are.`,
  })
  @NotNull()
  @ArrayMaxSize(MAX_NAMED, { message: SERVICES_REASON })
  serviceIds?: string[];

  @Field(() => Boolean, {
    nullable: true,
    description: 'Whether the incident is resolved without a person, five minutes after all of its services work.',
  })
  @NotNull()
  resolvesItself?: boolean;
}

function onceEach({ serviceIds }: Valid<{ serviceIds?: string[] | null }>) {
  const ids = serviceIds ?? [];
  return ids.flatMap((value, index) =>
    value && ids.indexOf(value) < index ? [{ field: `serviceIds.${index}`, value, reason: 'must be unique' }] : [],
  );
}
