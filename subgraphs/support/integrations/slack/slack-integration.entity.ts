import { Entity, Index, Property, Unique } from '@mikro-orm/decorators/legacy';
import { Field, InputType, ObjectType } from 'type-graphql';
import { OrganizationFilter } from '../../../../kernel/records/organization-filter.ts';
import { TicketPriority } from '../../../../kernel/values/ticket-priority.ts';
import { Integration } from '../integration.entity.ts';
import { IsTemplate } from './slack-template.ts';

@ObjectType('SlackFilters', { description: 'Conditions for the events of a Slack integration.' })
@InputType('SlackFiltersInput', { description: 'Conditions for the events of a Slack integration.' })
export class SlackFilters {
  @Field(() => [TicketPriority], {
    nullable: true,
    description:
      'Only tickets with one of these priorities. Null or empty means all. Alerts and incidents have no priority and are always sent.',
  })
  priorities?: TicketPriority[] | null;
}

@ObjectType('SlackMessageFormat', { description: 'Format of messages in Slack.' })
@InputType('SlackMessageFormatInput', { description: 'Format of messages in Slack.' })
export class SlackMessageFormat {
  @Field(() => String, {
    nullable: true,
    description:
      "Name of a template (`ticket_update`, `compact`, `detailed`), or a text in Slack's mrkdwn with placeholders such as `{{ticket.number}}`. It applies to messages about tickets; those about alerts and incidents have a fixed format. Default: `ticket_update`.",
  })
  @IsTemplate()
  template?: string | null;
}

/** A Slack channel that receives messages about tickets (specification 2.7), alerts and incidents. */
@ObjectType({ description: 'A connection to a Slack channel that gets messages about tickets, alerts and incidents.' })
@Entity({ tableName: 'slack_integration' })
@OrganizationFilter()
@Index({ properties: ['organizationId', 'createdAt', 'id'] })
@Unique({ properties: ['organizationId', 'targetDigest'] })
export class SlackIntegration extends Integration {
  /** The encrypted webhook URL. It is a secret, because everybody who has the URL can post to the channel. */
  @Property({ type: 'text' })
  sealedWebhookUrl!: string;

  /** Keyed hash of URL and channel. It is unique, so that two integrations cannot have the same target. */
  @Property({ type: 'text' })
  targetDigest!: string;

  @Field(() => String, { description: 'Host and last four characters of the incoming webhook. The full address is never shown.' })
  @Property({ type: 'text' })
  webhookUrlHint!: string;

  @Field(() => String, {
    description:
      'Channel as configured, such as #support. The webhook of a Slack app always posts to the channel that it was installed in.',
  })
  @Property({ type: 'text' })
  channel!: string;

  @Field(() => [String], {
    description:
      'Event names and patterns of the support family, such as `ticket.created`, `ticket.*` or `*`, and of alerts and incidents, such as `alert.firing` or `incident.*`. `*` selects the support family only.',
  })
  @Property({ type: 'json' })
  events!: string[];

  @Field(() => SlackFilters, { nullable: true, description: 'Conditions that events must meet. Null if there are none.' })
  @Property({ type: 'json', nullable: true })
  filters: SlackFilters | null = null;

  @Field(() => SlackMessageFormat, { description: 'Format of the messages.' })
  @Property({ type: 'json' })
  messageFormat: SlackMessageFormat = {};

  get target(): string {
    return this.channel;
  }
}
