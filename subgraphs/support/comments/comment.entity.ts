import { Entity, Enum, Index, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { Field, ID, ObjectType } from 'type-graphql';
import { Large } from '../../../kernel/graphql/large.ts';
import { MAX_JSON } from '../../../kernel/graphql/max-json.ts';
import { JsonObject } from '../../../kernel/graphql/scalars.ts';
import { OrganizationFilter } from '../../../kernel/records/organization-filter.ts';
import { CommentAuthor } from '../comment-author.ts';
import { Visibility } from '../visibility.ts';

export const INTERNAL_NOTE = 'internal_note';

/** A comment on a ticket (specification 2.7). Comments are never changed or deleted. */
@ObjectType({ description: 'A comment on a ticket. It never changes.' })
@Entity({ tableName: 'comment' })
@OrganizationFilter({ account: { by: 'ticketId', of: 'Ticket' } })
@Index({ properties: ['ticketId', 'createdAt', 'id'] })
export class Comment {
  @Field(() => ID)
  @PrimaryKey({ type: 'text' })
  id!: string;

  @Property({ type: 'text' })
  organizationId!: string;

  @Field(() => ID, { description: 'Ticket that the comment belongs to (`ticket_…`).' })
  @Property({ type: 'text' })
  ticketId!: string;

  @Large(20_000)
  @Field(() => String, { description: 'Text of the comment, 1 to 20000 characters.' })
  @Property({ type: 'text' })
  content!: string;

  @Field(() => String, { description: 'Purpose of the comment, such as `reply`, `customer_update`, `internal_note` or `resolution`.' })
  @Property({ type: 'text' })
  type!: string;

  @Field(() => Visibility, { description: 'Who can read the comment.' })
  @Enum({ items: () => Visibility, type: 'text' })
  visibility!: Visibility;

  @Field(() => CommentAuthor, { description: 'Person or program that wrote it.' })
  @Property({ type: 'json' })
  author!: CommentAuthor;

  @Large(MAX_JSON)
  @Field(() => JsonObject, { description: "JSON object of the author's choice, returned as sent." })
  @Property({ type: 'json' })
  metadata: Record<string, unknown> = {};

  @Field(() => Date)
  @Property({ type: 'datetime', length: 3 })
  createdAt!: Date;
}
