import { Entity, Enum, Index, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { Field, ID, Int, ObjectType } from 'type-graphql';
import { OrganizationFilter } from '../../../kernel/records/organization.filter.ts';
import { Visibility } from '../visibility.ts';
import { attachmentPath } from './attachment.paths.ts';

/**
 * A file that came with a ticket or a comment (specification 2.7). Its bytes lie in the file store under `fileKeyOf`; they and
 * this record never change.
 */
@ObjectType({ description: 'A file that came with a ticket or a comment. It never changes.' })
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

  @Field(() => ID)
  @Property({ type: 'text' })
  ticketId!: string;

  @Field(() => ID, { nullable: true, description: 'The comment that it came with; null for one that came with the ticket itself.' })
  @Property({ type: 'text', nullable: true })
  commentId: string | null = null;

  /** That of its comment, which never changes either. */
  @Enum({ items: () => Visibility, type: 'text' })
  visibility: Visibility = Visibility.CUSTOMER;

  @Field(() => String, { description: 'As it was sent: a name, never a path.' })
  @Property({ type: 'text' })
  filename!: string;

  @Field(() => String, { description: 'What the content was found to be, such as `image/png`.' })
  @Property({ type: 'text' })
  contentType!: string;

  @Field(() => Int, { description: 'Bytes.' })
  @Property({ type: 'integer' })
  size!: number;

  @Field(() => String, { description: 'The SHA-256 of the content, in hexadecimal.' })
  @Property({ type: 'text' })
  sha256!: string;

  /** The id of the caller who sent it. */
  @Property({ type: 'text' })
  uploadedBy!: string;

  @Field(() => Date)
  @Property({ type: 'datetime', length: 3 })
  createdAt!: Date;
}

/** Where the bytes lie. Made of ids only: what callers call their files is no part of it. */
export const fileKeyOf = ({ organizationId, id }: Pick<Attachment, 'organizationId' | 'id'>): string =>
  `attachments/${organizationId}/${id}`;

/** The address of the content. */
export const downloadUrlOf = (origin: string, { id }: Pick<Attachment, 'id'>): string => `${origin}${attachmentPath(id)}`;
