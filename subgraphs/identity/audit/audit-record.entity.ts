import { Entity, Index, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { Field, ID, ObjectType } from 'type-graphql';
import { OrganizationFilter } from '../../../kernel/records/organization-filter.ts';

/** An audit record of an authentication or a change of credentials (specification 5.9). It never changes and contains no secret. */
@ObjectType({ description: 'An authentication, successful or not, or a change of credentials. It never changes.' })
@Entity({ tableName: 'audit_record' })
@OrganizationFilter()
@Index({ properties: ['organizationId', 'timestamp', 'id'] })
@Index({ properties: ['timestamp'] })
export class AuditRecord {
  @Field(() => ID)
  @PrimaryKey({ type: 'text' })
  id!: string;

  /** Organization of the credentials. Null if the credentials belong to no organization. */
  @Property({ type: 'text', nullable: true })
  organizationId: string | null = null;

  @Field(() => Date, { description: 'When it happened.' })
  @Property({ type: 'datetime', length: 3 })
  timestamp!: Date;

  @Field(() => String, {
    description: 'Type of the record, such as `authentication_success`, `authentication_failure` or `session_ended`.',
  })
  @Property({ type: 'text' })
  eventType!: string;

  @Field(() => ID, { nullable: true, description: 'User concerned (`user_…`). Null if there is none.' })
  @Property({ type: 'text', nullable: true })
  userId: string | null = null;

  @Field(() => ID, { nullable: true, description: 'API key, certificate or OAuth client concerned. Null if there is none.' })
  @Property({ type: 'text', nullable: true })
  clientId: string | null = null;

  @Field(() => String, { nullable: true, description: 'IP address of the caller. Null if the platform itself acted.' })
  @Property({ type: 'text', nullable: true })
  ipAddress: string | null = null;

  @Field(() => String, { nullable: true, description: '`User-Agent` header of the caller. Null if none was sent.' })
  @Property({ type: 'text', nullable: true })
  userAgent: string | null = null;

  @Field(() => String, {
    nullable: true,
    description:
      'How the caller authenticated, such as `api_key`, `password`, `refresh_token`, `mfa`, `oauth`, `saml` or `certificate`. Null if not applicable.',
  })
  @Property({ type: 'text', nullable: true })
  authenticationMethod: string | null = null;

  @Field(() => String, {
    nullable: true,
    description:
      'Kind of credentials that were used or issued, such as `api_key`, `access_token` or `refresh_token`. Null if there were none.',
  })
  @Property({ type: 'text', nullable: true })
  tokenType: string | null = null;

  @Field(() => [String], { description: 'Permissions that were granted, such as `services.read`.' })
  @Property({ type: 'json' })
  scopes: string[] = [];

  @Field(() => ID, { nullable: true, description: 'Session concerned (`sess_…`). Null if there is none.' })
  @Property({ type: 'text', nullable: true })
  sessionId: string | null = null;

  @Field(() => String, { nullable: true, description: 'Reason of a failure. Null for a success.' })
  @Property({ type: 'text', nullable: true })
  reason: string | null = null;
}
