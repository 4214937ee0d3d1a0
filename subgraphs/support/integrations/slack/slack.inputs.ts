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
const URL_ABOUT = 'An incoming webhook of Slack: an https address. It is kept encrypted and never shown again.';
const EVENTS_ABOUT =
  'Names and patterns of the support family: `ticket.created`, `ticket.*`, `*`. What is internal is told only where its event is named in full.';
const CHANNEL_ABOUT = 'A channel or person, such as #support or @ada, or an id of one.';

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

const OfSupport = Rule<{ events?: string[] }, SupportContext>(({ events = [] }, { slackIntegrations }) =>
  slackIntegrations.problemsOf(events),
);

@InputType()
@OfSupport
export class SlackIntegrationCreateInput {
  @Field(() => String, { description: URL_ABOUT })
  @Url()
  webhookUrl!: string;

  @Field(() => String, { description: CHANNEL_ABOUT })
  @Channel()
  channel!: string;

  @Field(() => [String], { description: EVENTS_ABOUT })
  @Patterns()
  events!: string[];

  @Field(() => SlackFilters, { nullable: true })
  @IsOptional()
  @ValidateNested()
  filters?: SlackFilters | null;

  @Field(() => SlackMessageFormat, { nullable: true })
  @IsOptional()
  @ValidateNested()
  messageFormat?: SlackMessageFormat | null;

  @Field(() => Boolean, { defaultValue: true })
  active: boolean = true;
}

@InputType({ description: 'What is left out stays as it is.' })
@OfSupport
export class SlackIntegrationUpdateInput {
  @Field(() => String, { nullable: true, description: URL_ABOUT })
  @NotNull()
  @Url()
  webhookUrl?: string;

  @Field(() => String, { nullable: true, description: CHANNEL_ABOUT })
  @NotNull()
  @Channel()
  channel?: string;

  @Field(() => [String], { nullable: true, description: 'Replaces the patterns.' })
  @NotNull()
  @Patterns()
  events?: string[];

  @Field(() => SlackFilters, { nullable: true, description: 'Replaces the filters; null removes them.' })
  @IsOptional()
  @ValidateNested()
  filters?: SlackFilters | null;

  @Field(() => SlackMessageFormat, { nullable: true, description: 'Replaces the format; null makes it the default.' })
  @IsOptional()
  @ValidateNested()
  messageFormat?: SlackMessageFormat | null;

  @Field(() => Boolean, {
    nullable: true,
    description: 'true also resumes one that was disabled: what waits, and is not too old, is sent.',
  })
  @NotNull()
  active?: boolean;
}
