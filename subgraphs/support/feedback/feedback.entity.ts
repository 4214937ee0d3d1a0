import { Entity, Index, PrimaryKey, Property, Unique } from '@mikro-orm/decorators/legacy';
import { Field, ID, Int, ObjectType } from 'type-graphql';
import { Large } from '../../../kernel/graphql/large.ts';
import { OrganizationFilter } from '../../../kernel/records/organization-filter.ts';

export const RATING_MIN = 1;
export const RATING_MAX = 5;

/**
 * A rating of a ticket (`ticketId` is set), of an article (`articleId` is set) or of the platform (both are null). A
 * ticket has at most one rating. An article has at most one rating by each reader.
 */
@ObjectType({ description: 'A rating of the work on a ticket, of an article, or of the platform.' })
@Entity({ tableName: 'feedback' })
@OrganizationFilter({ account: { by: 'ticketId', of: 'Ticket' } })
@Unique({ properties: ['ticketId'] })
@Unique({ properties: ['organizationId', 'articleId', 'authorKind', 'authorId'] })
@Index({ properties: ['organizationId', 'createdAt', 'id'] })
export class Feedback {
  @Field(() => ID)
  @PrimaryKey({ type: 'text' })
  id!: string;

  @Property({ type: 'text' })
  organizationId!: string;

  @Field(() => ID, { nullable: true, description: 'Ticket that was rated (`ticket_…`). Null if something else was rated.' })
  @Property({ type: 'text', nullable: true })
  ticketId: string | null = null;

  @Field(() => ID, { nullable: true, description: 'Article that was rated (`art_…`). Null if something else was rated.' })
  @Property({ type: 'text', nullable: true })
  articleId: string | null = null;

  @Field(() => Int, { description: `Satisfaction from ${RATING_MIN} (not at all) to ${RATING_MAX} (very).` })
  @Property({ type: 'smallint' })
  rating!: number;

  @Large(5_000)
  @Field(() => String, { nullable: true, description: 'Remarks of the author, at most 5000 characters. Null if there are none.' })
  @Property({ type: 'text', nullable: true })
  comment: string | null = null;

  @Field(() => String, { description: 'Kind of caller that rated: `user`, `api_key`, `client` or `certificate`.' })
  @Property({ type: 'text' })
  authorKind!: string;

  @Field(() => ID, { description: 'Id of the caller that rated.' })
  @Property({ type: 'text' })
  authorId!: string;

  @Field(() => Date)
  @Property({ type: 'datetime', length: 3 })
  createdAt!: Date;

  @Field(() => Date, { description: 'When the rating was last changed; the same as `createdAt` if it was never changed.' })
  @Property({ type: 'datetime', length: 3 })
  updatedAt!: Date;
}
