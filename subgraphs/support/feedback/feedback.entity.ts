import { Entity, Index, PrimaryKey, Property, Unique } from '@mikro-orm/decorators/legacy';
import { Field, ID, Int, ObjectType } from 'type-graphql';
import { Large } from '../../../kernel/graphql/large.ts';
import { OrganizationFilter } from '../../../kernel/records/organization-filter.ts';

export const RATING_MIN = 1;
export const RATING_MAX = 5;

/**
 * A rating of the work on a ticket (one per ticket), of an article (one per reader), or of the platform (neither). At most one of
 * `ticketId` and `articleId` is set.
 */
@ObjectType({ description: 'How satisfied somebody was: with the work on a ticket, with an article, or with the platform.' })
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

  @Field(() => ID, { nullable: true })
  @Property({ type: 'text', nullable: true })
  ticketId: string | null = null;

  @Field(() => ID, { nullable: true })
  @Property({ type: 'text', nullable: true })
  articleId: string | null = null;

  @Field(() => Int, { description: `From ${RATING_MIN}, not at all, to ${RATING_MAX}, very.` })
  @Property({ type: 'smallint' })
  rating!: number;

  @Large(5_000)
  @Field(() => String, { nullable: true })
  @Property({ type: 'text', nullable: true })
  comment: string | null = null;

  @Field(() => String, { description: 'What gave it: user, api_key, client or certificate.' })
  @Property({ type: 'text' })
  authorKind!: string;

  @Field(() => ID)
  @Property({ type: 'text' })
  authorId!: string;

  @Field(() => Date)
  @Property({ type: 'datetime', length: 3 })
  createdAt!: Date;

  @Field(() => Date, { description: 'Later than `createdAt` where the rating was changed.' })
  @Property({ type: 'datetime', length: 3 })
  updatedAt!: Date;
}
