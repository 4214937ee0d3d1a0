import { Entity, Enum, Index, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { Field, ID, Int, ObjectType } from 'type-graphql';
import { OrganizationFilter } from '../../../kernel/records/organization-filter.ts';
import { Visibility } from '../visibility.ts';
import { attachmentPath } from './attachment-paths.ts';

/**
 * A file of a ticket or a comment (specification 2.7). The content is in the file store, under the key that `fileKeyOf`
 * returns. The content and the record never change.
 */
@ObjectType({ description: 'A file of a ticket or comment. It never changes.' })
@Entity({ tableName: 'attachment' })
@OrganizationFilter({ account: { by: 'ticketId', of: 'Ticket' } })
@Index({ properties: ['ticketId', 'createdAt', 'id'] })
@Index({ properties: ['commentId'] })
export class Attachment {
  @Field(() => ID)
  @PrimaryKey({ type: 'text' })
  id!: string;

  @Property({ type: 'text' })
  organizationId!: string;

  @Field(() => ID, { description: 'Ticket that the file belongs to (`ticket_…`).' })
  @Property({ type: 'text' })
  ticketId!: string;

  @Field(() => ID, {
    nullable: true,
    description: 'Comment that the file came with (`comment_…`). Null if it came with the ticket itself.',
  })
  @Property({ type: 'text', nullable: true })
  commentId: string | null = null;

  /**
   * Visibility of the comment that the file belongs to, or `customer` for a file of the ticket itself. It never
   * changes.
   */
  @Enum({ items: () => Visibility, type: 'text' })
  visibility: Visibility = Visibility.CUSTOMER;

  @Field(() => String, { description: 'File name as sent, without a path.' })
  @Property({ type: 'text' })
  filename!: string;

  @Field(() => String, { description: 'Media type that was detected from the content, such as `image/png`.' })
  @Property({ type: 'text' })
  contentType!: string;

  @Field(() => Int, { description: 'Size in bytes.' })
  @Property({ type: 'integer' })
  size!: number;

  @Field(() => String, { description: 'SHA-256 of the content, in hexadecimal digits.' })
  @Property({ type: 'text' })
  sha256!: string;

  /** Id of the caller who uploaded the file. */
  @Property({ type: 'text' })
  uploadedBy!: string;

  @Field(() => Date)
  @Property({ type: 'datetime', length: 3 })
  createdAt!: Date;
}

/**
 * Returns the key of the content in the file store. The key consists only of ids, never of file names that callers
 * chose.
 */
export const fileKeyOf = ({ organizationId, id }: Pick<Attachment, 'organizationId' | 'id'>): string =>
  `attachments/${organizationId}/${id}`;

/** Returns the URL at which a caller can download the content. */
export const downloadUrlOf = (origin: string, { id }: Pick<Attachment, 'id'>): string => `${origin}${attachmentPath(id)}`;
