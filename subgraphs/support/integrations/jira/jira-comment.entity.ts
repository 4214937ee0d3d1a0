import { Entity, Enum, PrimaryKey, Property, Unique } from '@mikro-orm/decorators/legacy';
import { OrganizationFilter } from '../../../../kernel/records/organization-filter.ts';

export enum JiraCommentOrigin {
  /** It was written here, and posted to Jira. */
  TICKET = 'ticket',
  JIRA = 'jira',
}

/** Which comment of an issue is which comment of its ticket: what came from one side never goes back there. */
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

  /** Ours; of an edited one of Jira the first that it became. */
  @Property({ type: 'text' })
  commentId!: string;

  @Property({ type: 'text' })
  jiraCommentId!: string;

  @Enum({ items: () => JiraCommentOrigin, type: 'text' })
  origin!: JiraCommentOrigin;

  /** Of the text that Jira last told: an edit that changes nothing, or is told twice, is none. */
  @Property({ type: 'text', nullable: true })
  digest: string | null = null;

  @Property({ type: 'datetime', length: 3 })
  createdAt!: Date;
}
