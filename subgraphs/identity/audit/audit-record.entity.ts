import { Entity, Index, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { Field, ID, ObjectType } from 'type-graphql';
import { OrganizationFilter } from '../../../kernel/records/organization-filter.ts';

/** One authentication, or what was done about credentials (specification 5.9). Never changed; holds no secret. */
@ObjectType({ description: 'One authentication, successful or not, or a change of credentials. Never changed.' })
@Entity({ tableName: 'audit_record' })
@OrganizationFilter()
@Index({ properties: ['organizationId', 'timestamp', 'id'] })
@Index({ properties: ['timestamp'] })
export class AuditRecord {
  @Field(() => ID)
  @PrimaryKey({ type: 'text' })
  id!: string;

  /** Null where what was shown belongs to no organization. */
  @Property({ type: 'text', nullable: true })
  organizationId: string | null = null;

  @Field(() => Date)
  @Property({ type: 'datetime', length: 3 })
  timestamp!: Date;

  @Field(() => String, { description: 'Such as authentication_success, authentication_failure, session_ended.' })
  @Property({ type: 'text' })
  eventType!: string;

  @Field(() => ID, { nullable: true })
  @Property({ type: 'text', nullable: true })
  userId: string | null = null;

  @Field(() => ID, { nullable: true, description: 'The API key, certificate or OAuth client.' })
  @Property({ type: 'text', nullable: true })
  clientId: string | null = null;

  @Field(() => String, { nullable: true })
  @Property({ type: 'text', nullable: true })
  ipAddress: string | null = null;

  @Field(() => String, { nullable: true })
  @Property({ type: 'text', nullable: true })
  userAgent: string | null = null;

  @Field(() => String, { nullable: true, description: 'api_key, password, refresh_token, mfa, oauth, saml, certificate, …' })
  @Property({ type: 'text', nullable: true })
  authenticationMethod: string | null = null;

  @Field(() => String, { nullable: true, description: 'What was shown or given: api_key, access_token, refresh_token, …' })
  @Property({ type: 'text', nullable: true })
  tokenType: string | null = null;

  @Field(() => [String], { description: 'Permissions that came with it, in dot form.' })
  @Property({ type: 'json' })
  scopes: string[] = [];

  @Field(() => ID, { nullable: true })
  @Property({ type: 'text', nullable: true })
  sessionId: string | null = null;

  @Field(() => String, { nullable: true, description: 'Why it failed.' })
  @Property({ type: 'text', nullable: true })
  reason: string | null = null;
}
