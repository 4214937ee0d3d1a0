import { Entity, Index, Property, Unique } from '@mikro-orm/decorators/legacy';
import { Field, InputType, ObjectType } from 'type-graphql';
import { OrganizationFilter } from '../../../../kernel/records/organization-filter.ts';
import { TicketPriority } from '../../ticket.states.ts';
import { Integration } from '../integration.entity.ts';
import { IsTemplate } from './slack-template.ts';

@ObjectType('SlackFilters', { description: 'Narrows the events to those of tickets with these priorities.' })
@InputType('SlackFiltersInput')
export class SlackFilters {
  @Field(() => [TicketPriority], { nullable: true, description: 'None or an empty list: all.' })
  priorities?: TicketPriority[] | null;
}

@ObjectType('SlackMessageFormat')
@InputType('SlackMessageFormatInput')
export class SlackMessageFormat {
  @Field(() => String, {
    nullable: true,
    description:
      "The name of a template (`ticket_update`, `compact`, `detailed`), or a text of one's own in Slack's mrkdwn with placeholders such as `{{ticket.number}}`. Default: ticket_update.",
  })
  @IsTemplate()
  template?: string | null;
}

/** A Slack channel that receives messages about tickets (specification 2.7). */
@ObjectType({ description: 'A channel of Slack that is told what happens to tickets.' })
@Entity({ tableName: 'slack_integration' })
@OrganizationFilter()
@Index({ properties: ['organizationId', 'createdAt', 'id'] })
@Unique({ properties: ['organizationId', 'targetDigest'] })
export class SlackIntegration extends Integration {
  /** Encrypted, because everybody who has the URL can post. */
  @Property({ type: 'text' })
  sealedWebhookUrl!: string;

  /** Keyed hash of URL and channel, which makes the target unique. */
  @Property({ type: 'text' })
  targetDigest!: string;

  @Field(() => String, {
    description: 'Which incoming webhook it is: its host and the last four characters. The address itself is never shown.',
  })
  @Property({ type: 'text' })
  webhookUrlHint!: string;

  @Field(() => String, {
    description: 'Such as #support. The webhook of a Slack app posts to the channel that it was installed in, whatever stands here.',
  })
  @Property({ type: 'text' })
  channel!: string;

  @Field(() => [String], { description: 'Names and patterns of the support family: `ticket.created`, `ticket.*`, `*`.' })
  @Property({ type: 'json' })
  events!: string[];

  @Field(() => SlackFilters, { nullable: true })
  @Property({ type: 'json', nullable: true })
  filters: SlackFilters | null = null;

  @Field(() => SlackMessageFormat)
  @Property({ type: 'json' })
  messageFormat: SlackMessageFormat = {};

  get target(): string {
    return this.channel;
  }
}
