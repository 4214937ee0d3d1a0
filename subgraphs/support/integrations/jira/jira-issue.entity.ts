import { Entity, Index, PrimaryKey, Property, Unique } from '@mikro-orm/decorators/legacy';
import { Field, ID, ObjectType } from 'type-graphql';
import { OrganizationFilter } from '../../../../kernel/records/organization-filter.ts';

/**
 * The issue of a ticket in a Jira project. The row is stored when the issue is created or found, so that a ticket gets
 * only one issue per integration.
 */
@ObjectType({ description: 'The Jira issue of a ticket.' })
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

  @Field(() => ID, { description: 'Integration that created the issue (`intg_…`).' })
  @Property({ type: 'text' })
  integrationId!: string;

  @Property({ type: 'text' })
  ticketId!: string;

  @Field(() => ID, { description: 'Internal id of the issue in Jira. It stays the same when the issue moves to another project.' })
  @Property({ type: 'text' })
  issueId!: string;

  @Field(() => String, { description: 'Key of the issue in Jira, such as SUP-24.' })
  @Property({ type: 'text' })
  key!: string;

  @Field(() => String, { description: 'Web page of the issue.' })
  @Property({ type: 'text' })
  url!: string;

  @Field(() => String, { nullable: true, description: 'Status of the issue, as last reported by Jira. Null if Jira has not reported one.' })
  @Property({ type: 'text', nullable: true })
  status: string | null = null;

  @Field(() => Boolean, {
    description: 'True if the issue was created without a priority, because the Jira project does not accept the mapped priority.',
  })
  @Property({ type: 'boolean' })
  priorityOmitted = false;

  @Field(() => Date, { nullable: true, description: 'When the issue was deleted in Jira. Null unless it was deleted.' })
  @Property({ type: 'datetime', length: 3, nullable: true })
  deletedAt: Date | null = null;

  @Field(() => Date)
  @Property({ type: 'datetime', length: 3 })
  createdAt!: Date;
}
