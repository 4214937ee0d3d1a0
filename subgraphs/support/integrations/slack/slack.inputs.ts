import { Allow, ArrayMaxSize, ArrayMinSize, IsOptional, Matches, ValidateNested } from 'class-validator';
import { Field, InputType } from 'type-graphql';
import { Characters } from '../../../../kernel/graphql/characters.ts';
import { EVENT_PATTERNS, jsonSchema } from '../../../../kernel/graphql/json-schema.ts';
import { NotNull } from '../../../../kernel/graphql/not-null.ts';
import { Rule } from '../../../../kernel/graphql/rule.ts';
import type { SupportContext } from '../../context.ts';
import { SlackFilters, SlackMessageFormat } from './slack-integration.entity.ts';

const URL_LENGTH = 2048;
const MAX_PATTERNS = 50;

const Url = (): PropertyDecorator => (target, property) => {
  Characters(1, URL_LENGTH)(target, property);
  Allow(jsonSchema({ format: 'uri' }))(target, property);
};
const Channel = (): PropertyDecorator =>
  Matches(/^[#@]?[^\s#@<>&]{1,80}$/u, { message: 'must be a channel such as #support: at most 80 characters, no spaces' });
const Patterns = (): PropertyDecorator => (target, property) => {
  ArrayMinSize(1, { message: 'must name at least one event' })(target, property);
  ArrayMaxSize(MAX_PATTERNS, { message: `may have at most ${MAX_PATTERNS} patterns` })(target, property);
  Allow(EVENT_PATTERNS)(target, property);
};

const EVENTS =
  'Event names and patterns of the support family, such as `ticket.created`, `ticket.*` or `*`, and of alerts and incidents: `alert.firing`, `alert.resolved`, `incident.opened`, `incident.updated`, `incident.resolved`, `alert.*`, `incident.*` or `monitoring.*`. `*` selects the support family only. Alerts and incidents need the permission `monitoring:read` too.';

const Known = Rule<{ events?: string[] }, SupportContext>(({ events = [] }, { slackIntegrations }) => slackIntegrations.problemsOf(events));

@InputType({ description: 'Slack channel to connect.' })
@Known
export class SlackIntegrationCreateInput {
  @Field(() => String, { description: 'Incoming webhook of Slack: an https address. It is stored encrypted and never shown again.' })
  @Url()
  webhookUrl!: string;

  @Field(() => String, { description: 'Channel or person, such as #support or @ada, or the id of a channel or person.' })
  @Channel()
  channel!: string;

  @Field(() => [String], {
    description: `${EVENTS} Internal events are sent only if they are listed by their full name.`,
  })
  @Patterns()
  events!: string[];

  @Field(() => SlackFilters, { nullable: true, description: 'Conditions that events must meet. Default: none.' })
  @IsOptional()
  @ValidateNested()
  filters?: SlackFilters | null;

  @Field(() => SlackMessageFormat, { nullable: true, description: 'Format of the messages.' })
  @IsOptional()
  @ValidateNested()
  messageFormat?: SlackMessageFormat | null;

  @Field(() => Boolean, { defaultValue: true, description: 'Whether events are sent. Default: true.' })
  active: boolean = true;
}

@InputType({ description: 'Fields to change. Omit a field to keep its value.' })
@Known
export class SlackIntegrationUpdateInput {
  @Field(() => String, {
    nullable: true,
    description: 'Incoming webhook of Slack: an https address. It is stored encrypted and never shown again.',
  })
  @NotNull()
  @Url()
  webhookUrl?: string;

  @Field(() => String, { nullable: true, description: 'Channel or person, such as #support or @ada, or the id of a channel or person.' })
  @NotNull()
  @Channel()
  channel?: string;

  @Field(() => [String], { nullable: true, description: `${EVENTS} Replaces the whole list.` })
  @NotNull()
  @Patterns()
  events?: string[];

  @Field(() => SlackFilters, {
    nullable: true,
    description: 'Conditions that events must meet. Replaces all conditions; null removes all conditions.',
  })
  @IsOptional()
  @ValidateNested()
  filters?: SlackFilters | null;

  @Field(() => SlackMessageFormat, { nullable: true, description: 'Format of the messages. Null restores the default.' })
  @IsOptional()
  @ValidateNested()
  messageFormat?: SlackMessageFormat | null;

  @Field(() => Boolean, {
    nullable: true,
    description:
      'False stops sending. True also resumes an integration that the platform disabled, and sends the waiting events that are not too old.',
  })
  @NotNull()
  active?: boolean;
}
