import { Entity, Index, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { Field, ID, Int, ObjectType } from 'type-graphql';
import { Large } from '../../../kernel/graphql/large.ts';
import { MAX_JSON } from '../../../kernel/graphql/max-json.ts';
import { JsonObject } from '../../../kernel/graphql/scalars.ts';
import { OrganizationFilter } from '../../../kernel/records/organization-filter.ts';
import type { Actor } from '../tickets/ticket-change.entity.ts';

/** A record that a ticket's escalation level was raised. Never changed. */
@ObjectType({ description: 'That a ticket was given a higher escalation level.' })
@Entity({ tableName: 'escalation' })
@OrganizationFilter({ account: { by: 'ticketId', of: 'Ticket' } })
@Index({ properties: ['organizationId', 'ticketId', 'createdAt'] })
export class Escalation {
  @Field(() => ID)
  @PrimaryKey({ type: 'text' })
  id!: string;

  @Property({ type: 'text' })
  organizationId!: string;

  @Property({ type: 'text' })
  ticketId!: string;

  @Field(() => Int)
  @Property({ type: 'integer' })
  level!: number;

  @Field(() => String)
  @Property({ type: 'text' })
  reason!: string;

  @Large(20_000)
  @Field(() => String, { nullable: true, description: 'What the desk should know, in the words of who escalated it.' })
  @Property({ type: 'text', nullable: true })
  comments: string | null = null;

  @Field(() => [String], { description: 'E-mail addresses that were told.' })
  @Property({ type: 'json' })
  notify: string[] = [];

  @Large(MAX_JSON)
  @Field(() => JsonObject, { description: 'Free-form, kept as sent.' })
  @Property({ type: 'json' })
  metadata: Record<string, unknown> = {};

  @Field(() => String, { description: '`api_key`, `user`, `client`, `certificate`, or `system` for the platform itself.' })
  @Property({ type: 'text' })
  actorKind!: Actor['kind'];

  @Field(() => String, { description: 'The id of the caller, or the name of the job.' })
  @Property({ type: 'text' })
  actorId!: string;

  @Field(() => Date)
  @Property({ type: 'datetime', length: 3 })
  createdAt!: Date;
}
