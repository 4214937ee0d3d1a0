import { Entity, Index, Property, Unique } from '@mikro-orm/decorators/legacy';
import { IsOptional } from 'class-validator';
import { Field, InputType, ObjectType } from 'type-graphql';
import { Characters } from '../../../../kernel/graphql/characters.ts';
import { OrganizationFilter } from '../../../../kernel/records/organization-filter.ts';
import type { TicketPriority } from '../../ticket.states.ts';
import { Visibility } from '../../visibility.ts';
import { Integration } from '../integration.entity.ts';

const PriorityName = (): PropertyDecorator => (target, property) => {
  IsOptional()(target, property);
  Characters(1, 60)(target, property);
};

@ObjectType('JiraPriorityMapping', { description: 'The name of the priority in Jira for each one here. One without a name is not sent.' })
@InputType('JiraPriorityMappingInput')
export class JiraPriorityMapping implements Partial<Record<TicketPriority, string | null>> {
  @Field(() => String, { nullable: true })
  @PriorityName()
  critical?: string | null;

  @Field(() => String, { nullable: true })
  @PriorityName()
  high?: string | null;

  @Field(() => String, { nullable: true })
  @PriorityName()
  medium?: string | null;

  @Field(() => String, { nullable: true })
  @PriorityName()
  low?: string | null;
}

/** Priority names of Jira's default scheme. */
export const DEFAULT_MAPPING: Readonly<Record<TicketPriority, string>> = {
  critical: 'Highest',
  high: 'High',
  medium: 'Medium',
  low: 'Low',
};

@ObjectType()
export class JiraSyncSettings {
  @Field(() => Boolean, { description: 'Whether each new ticket becomes an issue.' })
  createJiraIssues!: boolean;

  @Field(() => Boolean, { description: 'Whether comments for the customer go to the issue, and comments of the issue to the ticket.' })
  syncComments!: boolean;

  @Field(() => JiraPriorityMapping)
  priorityMapping!: JiraPriorityMapping;

  @Field(() => Visibility, {
    description: 'Who sees on the ticket what was commented in Jira. What Jira itself restricts is internal in any case.',
  })
  jiraCommentVisibility!: Visibility;
}

/** An integration with a Jira project that has issues for tickets (specification 2.7). */
@ObjectType({ description: 'A project of Jira in which tickets are issues.' })
@Entity({ tableName: 'jira_integration' })
@OrganizationFilter()
@Index({ properties: ['organizationId', 'createdAt', 'id'] })
@Unique({ properties: ['organizationId', 'jiraUrl', 'projectKey'] })
export class JiraIntegration extends Integration {
  @Field(() => String, { description: 'Such as https://acme.atlassian.net.' })
  @Property({ type: 'text' })
  jiraUrl!: string;

  @Field(() => String, { description: 'The e-mail address of the account that acts in Jira.' })
  @Property({ type: 'text' })
  username!: string;

  @Property({ type: 'text' })
  sealedApiToken!: string;

  @Field(() => String, { description: 'The last four characters of the API token, which itself is never shown.' })
  @Property({ type: 'text' })
  apiTokenHint!: string;

  @Field(() => String)
  @Property({ type: 'text' })
  projectKey!: string;

  @Field(() => JiraSyncSettings)
  @Property({ type: 'json' })
  syncSettings!: JiraSyncSettings;

  @Property({ type: 'text' })
  sealedInboundSecret!: string;

  @Field(() => String, {
    nullable: true,
    description: 'The secret of the webhook in Jira. Shown by the creation and by a rotation, null ever after.',
  })
  inboundSecret?: string | null;

  get target(): string {
    return `${this.projectKey} at ${this.jiraUrl}`;
  }
}
