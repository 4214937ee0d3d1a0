import { Entity, Index, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { Field, ID, ObjectType } from 'type-graphql';
import { OrganizationFilter } from '../../../kernel/records/organization-filter.ts';

/** A login of a user. When the session ends, its access tokens and refresh tokens stop working. */
@ObjectType({ description: 'A login of a user. When the session ends, its access tokens are revoked.' })
@Entity({ tableName: 'session' })
@OrganizationFilter()
@Index({ properties: ['organizationId', 'userId', 'createdAt'] })
@Index({ properties: ['expiresAt'] })
@Index({ properties: ['endedAt'], where: 'ended_at is not null' })
export class Session {
  @Field(() => ID)
  @PrimaryKey({ type: 'text' })
  id!: string;

  @Property({ type: 'text' })
  organizationId!: string;

  @Field(() => ID, { description: 'User who logged in (`user_…`).' })
  @Property({ type: 'text' })
  userId!: string;

  @Field(() => String, { description: 'How the user logged in, such as `password` or `saml`.' })
  @Property({ type: 'text' })
  method!: string;

  @Field(() => String, { nullable: true, description: 'IP address at login. Null if unknown.' })
  @Property({ type: 'text', nullable: true })
  ipAddress: string | null = null;

  @Field(() => String, { nullable: true, description: '`User-Agent` header at login. Null if none was sent.' })
  @Property({ type: 'text', nullable: true })
  userAgent: string | null = null;

  @Field(() => Date, { description: 'When the user logged in.' })
  @Property({ type: 'datetime', length: 3 })
  createdAt!: Date;

  @Field(() => Date, { description: 'When the tokens were last refreshed. Before the first refresh, when the user logged in.' })
  @Property({ type: 'datetime', length: 3 })
  lastUsedAt!: Date;

  @Field(() => Date, { description: 'Latest time at which the session ends.' })
  @Property({ type: 'datetime', length: 3 })
  expiresAt!: Date;

  @Property({ type: 'datetime', length: 3, nullable: true })
  endedAt: Date | null = null;

  @Property({ type: 'text', nullable: true })
  endReason: string | null = null;
}
