import { Entity, Enum, PrimaryKey, Property, Unique } from '@mikro-orm/decorators/legacy';
import { OrganizationFilter } from '../../../../kernel/records/organization-filter.ts';

export enum JiraCommentOrigin {
  /** The comment was written on the ticket and posted to Jira. */
  TICKET = 'ticket',
  JIRA = 'jira',
}

/**
 * Links a comment on a Jira issue to the comment on the ticket, so that no comment is copied back to the system where
 * it was written.
 */
@Entity({ tableName: 'jira_comment' })
@OrganizationFilter()
@Unique({ properties: ['integrationId', 'commentId'] })
@Unique({ properties: ['integrationId', 'jiraCommentId'] })
export class JiraComment {
  @PrimaryKey({ type: 'text' })
  id!: string;

  @Property({ type: 'text' })
  organizationId!: string;

  @Property({ type: 'text' })
  integrationId!: string;

  /** Id of the ticket comment. Each edit of a Jira comment adds a ticket comment and a new row for it. */
  @Property({ type: 'text' })
  commentId!: string;

  @Property({ type: 'text' })
  jiraCommentId!: string;

  @Enum({ items: () => JiraCommentOrigin, type: 'text' })
  origin!: JiraCommentOrigin;

  /** Hash of the latest text from Jira. Used to ignore repeated webhooks and edits that do not change the text. */
  @Property({ type: 'text', nullable: true })
  digest: string | null = null;

  @Property({ type: 'datetime', length: 3 })
  createdAt!: Date;
}
