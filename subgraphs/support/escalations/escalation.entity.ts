import { Entity, Index, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { Field, ID, Int, ObjectType } from 'type-graphql';
import { Large } from '../../../kernel/graphql/large.ts';
import { MAX_JSON } from '../../../kernel/graphql/max-json.ts';
import { JsonObject } from '../../../kernel/graphql/scalars.ts';
import { OrganizationFilter } from '../../../kernel/records/organization-filter.ts';
import type { Actor } from '../tickets/ticket-change.entity.ts';

/** An increase of a ticket's escalation level. The record never changes. */
@ObjectType({ description: 'An escalation of a ticket to a higher level.' })
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

  @Field(() => Int, { description: 'Level that the ticket was given, 1 to 5.' })
  @Property({ type: 'integer' })
  level!: number;

  @Field(() => String, { description: 'Reason, which the customer can read too.' })
  @Property({ type: 'text' })
  reason!: string;

  @Large(20_000)
  @Field(() => String, { nullable: true, description: 'Internal remarks for the desk. Null if there are none.' })
  @Property({ type: 'text', nullable: true })
  comments: string | null = null;

  @Field(() => [String], { description: 'E-mail addresses that were notified.' })
  @Property({ type: 'json' })
  notify: string[] = [];

  @Large(MAX_JSON)
  @Field(() => JsonObject, { description: "JSON object of the caller's choice, returned as sent." })
  @Property({ type: 'json' })
  metadata: Record<string, unknown> = {};

  @Field(() => String, {
    description: 'Kind of caller that escalated it: `api_key`, `user`, `client`, `certificate`, or `system` for the platform itself.',
  })
  @Property({ type: 'text' })
  actorKind!: Actor['kind'];

  @Field(() => String, { description: 'Id of the caller, or the name of the job.' })
  @Property({ type: 'text' })
  actorId!: string;

  @Field(() => Date)
  @Property({ type: 'datetime', length: 3 })
  createdAt!: Date;
}
