import { Entity, Index, PrimaryKey, Property, Unique } from '@mikro-orm/decorators/legacy';
import { Field, ID, ObjectType } from 'type-graphql';
import { OrganizationFilter } from '../../../../kernel/records/organization-filter.ts';

/** The issue of a ticket in a Jira project. Stored once the issue is created or found, so that a ticket has one issue per integration. */
@ObjectType({ description: 'The issue that a ticket is in a project of Jira.' })
@Entity({ tableName: 'jira_issue' })
@OrganizationFilter({ account: { by: 'ticketId', of: 'Ticket' } })
@Unique({ properties: ['integrationId', 'ticketId'] })
@Unique({ properties: ['integrationId', 'issueId'] })
@Index({ properties: ['ticketId', 'createdAt', 'id'] })
export class JiraIssue {
  @PrimaryKey({ type: 'text' })
  id!: string;

  @Property({ type: 'text' })
  organizationId!: string;

  @Field(() => ID)
  @Property({ type: 'text' })
  integrationId!: string;

  @Property({ type: 'text' })
  ticketId!: string;

  @Field(() => ID, { description: "Jira's own id, which stays when the issue moves to another project." })
  @Property({ type: 'text' })
  issueId!: string;

  @Field(() => String, { description: 'Such as SUP-24.' })
  @Property({ type: 'text' })
  key!: string;

  @Field(() => String, { description: 'Where people read it.' })
  @Property({ type: 'text' })
  url!: string;

  @Field(() => String, { nullable: true, description: 'The name of its status, as Jira last told.' })
  @Property({ type: 'text', nullable: true })
  status: string | null = null;

  @Field(() => Boolean, { description: "Whether it has no priority of ours: the project's screen has none, or does not know the name." })
  @Property({ type: 'boolean' })
  priorityOmitted = false;

  @Field(() => Date, { nullable: true, description: 'When it was deleted in Jira.' })
  @Property({ type: 'datetime', length: 3, nullable: true })
  deletedAt: Date | null = null;

  @Field(() => Date)
  @Property({ type: 'datetime', length: 3 })
  createdAt!: Date;
}
