import { Entity, Index, Property, Unique } from '@mikro-orm/decorators/legacy';
import { IsOptional } from 'class-validator';
import { Field, InputType, ObjectType } from 'type-graphql';
import { Characters } from '../../../../kernel/graphql/characters.ts';
import { OrganizationFilter } from '../../../../kernel/records/organization-filter.ts';
import type { TicketPriority } from '../../../../kernel/values/ticket-priority.ts';
import { Visibility } from '../../visibility.ts';
import { Integration } from '../integration.entity.ts';

const PriorityName = (): PropertyDecorator => (target, property) => {
  IsOptional()(target, property);
  Characters(1, 60)(target, property);
};

@ObjectType('JiraPriorityMapping', {
  description: 'Jira priority for each ticket priority. A ticket priority without a Jira priority is not sent.',
})
@InputType('JiraPriorityMappingInput', {
  description:
    'Jira priority for each ticket priority. An omitted priority keeps its current or default mapping. A priority that is null is not sent to Jira.',
})
export class JiraPriorityMapping implements Partial<Record<TicketPriority, string | null>> {
  @Field(() => String, { nullable: true, description: 'Jira priority for `CRITICAL`, such as Highest.' })
  @PriorityName()
  critical?: string | null;

  @Field(() => String, { nullable: true, description: 'Jira priority for `HIGH`, such as High.' })
  @PriorityName()
  high?: string | null;

  @Field(() => String, { nullable: true, description: 'Jira priority for `MEDIUM`, such as Medium.' })
  @PriorityName()
  medium?: string | null;

  @Field(() => String, { nullable: true, description: 'Jira priority for `LOW`, such as Low.' })
  @PriorityName()
  low?: string | null;
}

/** Jira priority for each ticket priority that the owner does not map. The names are from Jira's default scheme. */
export const DEFAULT_MAPPING: Readonly<Record<TicketPriority, string>> = {
  critical: 'Highest',
  high: 'High',
  medium: 'Medium',
  low: 'Low',
};

@ObjectType({ description: 'Settings of the synchronization with Jira.' })
export class JiraSyncSettings {
  @Field(() => Boolean, { description: 'True if every new ticket becomes an issue.' })
  createJiraIssues!: boolean;

  @Field(() => Boolean, {
    description: 'True if comments for the customer are copied to the issue, and comments of the issue to the ticket.',
  })
  syncComments!: boolean;

  @Field(() => JiraPriorityMapping, { description: 'Names of the priorities in Jira.' })
  priorityMapping!: JiraPriorityMapping;

  @Field(() => Visibility, {
    description: 'Who can read comments from Jira on the ticket. Comments that are restricted in Jira are always internal.',
  })
  jiraCommentVisibility!: Visibility;
}

/** An integration that creates issues for tickets in a Jira project (specification 2.7). */
@ObjectType({ description: 'A connection to a Jira project in which tickets become issues.' })
@Entity({ tableName: 'jira_integration' })
@OrganizationFilter()
@Index({ properties: ['organizationId', 'createdAt', 'id'] })
@Unique({ properties: ['organizationId', 'jiraUrl', 'projectKey'] })
export class JiraIntegration extends Integration {
  @Field(() => String, { description: 'Address of the Jira site, such as https://acme.atlassian.net.' })
  @Property({ type: 'text' })
  jiraUrl!: string;

  @Field(() => String, { description: 'E-mail address of the Jira account that is used.' })
  @Property({ type: 'text' })
  username!: string;

  @Property({ type: 'text' })
  sealedApiToken!: string;

  @Field(() => String, { description: 'Last four characters of the API token. The token itself is never shown.' })
  @Property({ type: 'text' })
  apiTokenHint!: string;

  @Field(() => String, { description: 'Key of the project, such as SUP.' })
  @Property({ type: 'text' })
  projectKey!: string;

  @Field(() => JiraSyncSettings, { description: 'Settings of the synchronization.' })
  @Property({ type: 'json' })
  syncSettings!: JiraSyncSettings;

  @Property({ type: 'text' })
  sealedInboundSecret!: string;

  @Field(() => String, {
    nullable: true,
    description: 'Secret of the webhook in Jira. Shown only in the response that creates or rotates the secret. Null otherwise.',
  })
  inboundSecret?: string | null;

  get target(): string {
    return `${this.projectKey} at ${this.jiraUrl}`;
  }
}
