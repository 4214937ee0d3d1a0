import { BigIntType } from '@mikro-orm/core';
import { Entity, Index, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { Directive, Field, ID, ObjectType } from 'type-graphql';
import { Large } from '../../../kernel/graphql/large.ts';
import { OrganizationFilter } from '../../../kernel/records/organization-filter.ts';

/**
 * An event in the log. Never changed. The table is partitioned by day (event-partitions.ts), so the time is part of the primary key.
 * Ids are unique nevertheless, because an event is always appended with the same time.
 */
@ObjectType('Event', { description: 'Something that happened.' })
@Directive('@key(fields: "id")')
@Entity({ tableName: 'event_log' })
@OrganizationFilter({ account: 'accountId' })
@Index({ properties: ['organizationId', 'sequence'] })
@Index({ properties: ['organizationId', 'subjectId', 'sequence'] })
@Index({ properties: ['organizationId', 'accountId', 'sequence'] })
@Index({ properties: ['sequence'] })
export class EventRecord {
  @Field(() => ID)
  @PrimaryKey({ type: 'text' })
  id!: string;

  /** Position in the log. Events become visible in this order, so that readers miss none. */
  @Property({ type: new BigIntType('number'), autoincrement: true })
  sequence!: number;

  @Field(() => ID)
  @Property({ type: 'text' })
  organizationId!: string;

  @Field(() => String, { description: 'Its name, such as `ticket.created`.' })
  @Property({ type: 'text' })
  event!: string;

  @Field(() => String, { description: '`service`, `billing`, `support`, …' })
  @Property({ type: 'text' })
  family!: string;

  @Property({ type: 'text' })
  subjectType!: string;

  @Field(() => ID, { description: 'The id of the record that it is about.' })
  @Property({ type: 'text' })
  subjectId!: string;

  @Field(() => ID, { nullable: true, description: 'The account that it concerns; null where it concerns none.' })
  @Property({ type: 'text', nullable: true })
  accountId: string | null = null;

  /**
   * When the platform recorded the event; determines its partition. The column is named `occurred_at` because it used to mean
   * both times.
   */
  @PrimaryKey({ type: 'datetime', length: 3, fieldName: 'occurred_at' })
  recordedAt!: Date;

  /** When it happened, if another clock than the platform's states this. */
  @Property({ type: 'datetime', length: 3, nullable: true })
  eventTime: Date | null = null;

  @Field(() => String, {
    nullable: true,
    description: 'The `traceparent` (W3C Trace Context) of the request that led to it; null where none was sent.',
  })
  @Property({ type: 'text', nullable: true })
  traceparent: string | null = null;

  @Large(50_000)
  @Field(() => String, {
    description:
      'The envelope as JSON text, in REST spelling: `id`, `event`, `timestamp`, `organization_id`, `data`. The body of a webhook is this very text with `signature` added as its last member.',
  })
  @Property({ type: 'text' })
  payload!: string;

  @Field(() => Date, { name: 'timestamp', description: 'When it happened.' })
  get occurredAt(): Date {
    return this.eventTime ?? this.recordedAt;
  }
}
