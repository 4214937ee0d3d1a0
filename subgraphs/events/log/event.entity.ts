import { BigIntType } from '@mikro-orm/core';
import { Entity, Index, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { Directive, Field, ID, ObjectType } from 'type-graphql';
import { Large } from '../../../kernel/graphql/large.ts';
import { OrganizationFilter } from '../../../kernel/records/organization-filter.ts';

/**
 * An event in the log. Events never change. The table is partitioned by day (event-partitions.ts), so the recording
 * time must be part of the primary key. Each id still occurs only once: an event that is appended again has the same id
 * and time, so it is ignored.
 */
@ObjectType('Event', { description: 'An event: a change of a record, as it was logged. It never changes.' })
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

  /** Position in the log. Events become visible in this order, so that readers miss no event. */
  @Property({ type: new BigIntType('number'), autoincrement: true })
  sequence!: number;

  @Field(() => ID)
  @Property({ type: 'text' })
  organizationId!: string;

  @Field(() => String, { description: 'Name of the event, such as `ticket.created`.' })
  @Property({ type: 'text' })
  event!: string;

  @Field(() => String, { description: 'Family of the event, such as `service`, `billing` or `support`.' })
  @Property({ type: 'text' })
  family!: string;

  @Property({ type: 'text' })
  subjectType!: string;

  @Field(() => ID, { description: 'Id of the record that the event is about.' })
  @Property({ type: 'text' })
  subjectId!: string;

  @Field(() => ID, { nullable: true, description: 'Account that the event concerns (`acc_…`). Null if it concerns none.' })
  @Property({ type: 'text', nullable: true })
  accountId: string | null = null;

  /**
   * Time when the platform recorded the event. This time determines the partition. The column is named `occurred_at`, because earlier
   * releases stored only one time for each event, under this name.
   */
  @PrimaryKey({ type: 'datetime', length: 3, fieldName: 'occurred_at' })
  recordedAt!: Date;

  /**
   * Time when the event happened according to another clock, such as the clock of a device. Null if this time is the same as `recordedAt`.
   */
  @Property({ type: 'datetime', length: 3, nullable: true })
  eventTime: Date | null = null;

  @Field(() => String, {
    nullable: true,
    description: '`traceparent` header (W3C Trace Context) of the request that caused the event. Null if none was sent.',
  })
  @Property({ type: 'text', nullable: true })
  traceparent: string | null = null;

  @Large(50_000)
  @Field(() => String, {
    description:
      'Envelope as JSON text with REST names: `id`, `event`, `timestamp`, `organization_id`, `data`. A webhook body is exactly this text with `signature` added as the last field.',
  })
  @Property({ type: 'text' })
  payload!: string;

  @Field(() => Date, { name: 'timestamp', description: 'When the event happened.' })
  get occurredAt(): Date {
    return this.eventTime ?? this.recordedAt;
  }
}
