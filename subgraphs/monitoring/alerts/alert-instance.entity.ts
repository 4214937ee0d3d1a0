import { Entity, Enum, Index, PrimaryKey, Property, Unique } from '@mikro-orm/decorators/legacy';
import { Field, Float, ID, ObjectType } from 'type-graphql';
import { JsonObject } from '../../../kernel/graphql/scalars.ts';
import { OrganizationFilter } from '../../../kernel/records/organization-filter.ts';
import type { Labels } from '../series/series.ts';
import { AlertState } from './alert.states.ts';

/**
 * An instance of an alert (one group of its series) whose state is not OK. The row is deleted when the state becomes OK; the transitions
 * contain the history. Evaluations write the rows with SQL.
 */
@ObjectType({
  description:
    'An instance of an alert whose state is not `OK`. Each combination of the values by which series are grouped is an instance.',
})
@Entity({ tableName: 'alert_instance' })
@OrganizationFilter({ account: { by: 'alertId', of: 'Alert' } })
@Unique({ name: 'alert_instance_unique', properties: ['alertId', 'digest'] })
@Index({ name: 'alert_instance_alert_index', properties: ['organizationId', 'alertId', 'createdAt', 'id'] })
export class AlertInstance {
  @Field(() => ID, {
    description: 'Id of the instance (`alinst_…`). It stays the same from the time when the instance leaves `OK` until it returns to `OK`.',
  })
  @PrimaryKey({ type: 'text' })
  id!: string;

  @Property({ type: 'text' })
  organizationId!: string;

  @Property({ type: 'text' })
  alertId!: string;

  /** Hash of the service and the labels. It is used because labels can be too long for an index. */
  @Property({ type: 'text' })
  digest!: string;

  @Field(() => ID, {
    nullable: true,
    description: 'Service of the series (`svc_…`). Null if the group contains series of several services.',
  })
  @Property({ type: 'text', nullable: true })
  serviceId: string | null = null;

  @Field(() => JsonObject, { description: 'Values of the labels by which the series are grouped, by name of the label.' })
  @Property({ type: 'json' })
  labels: Labels = {};

  @Field(() => AlertState, { description: 'State of the instance, never `OK`.' })
  @Enum({ items: () => AlertState, type: 'text' })
  state!: AlertState;

  @Field(() => Date, { description: 'When the instance entered this state.' })
  @Property({ type: 'datetime', length: 3 })
  since!: Date;

  @Field(() => Float, { nullable: true, description: 'Value of the last evaluation. Null without samples.' })
  @Property({ type: 'double', nullable: true })
  value: number | null = null;

  /** Time since which the condition has been met without interruption. */
  @Property({ type: 'datetime', length: 3, nullable: true })
  pendingSince: Date | null = null;

  /** Time since which the condition has not been met any more, without interruption. */
  @Property({ type: 'datetime', length: 3, nullable: true })
  recoveringSince: Date | null = null;

  /** Time since which a firing or recovering instance has had no samples. */
  @Property({ type: 'datetime', length: 3, nullable: true })
  noDataSince: Date | null = null;

  @Field(() => Date, { nullable: true, description: 'When the instance began to fire. Null if it does not fire.' })
  @Property({ type: 'datetime', length: 3, nullable: true })
  firedAt: Date | null = null;

  @Field(() => Date, {
    nullable: true,
    description: 'When people were last notified that the instance fires. Null if nobody was notified, such as during a silence.',
  })
  @Property({ type: 'datetime', length: 3, nullable: true })
  notifiedAt: Date | null = null;

  @Field(() => Date, { nullable: true, description: 'When a caller acknowledged that the instance fires. Null if nobody acknowledged it.' })
  @Property({ type: 'datetime', length: 3, nullable: true })
  acknowledgedAt: Date | null = null;

  @Field(() => ID, { nullable: true, description: 'Caller who acknowledged that the instance fires. Null if nobody acknowledged it.' })
  @Property({ type: 'text', nullable: true })
  acknowledgedBy: string | null = null;

  /** Number of state transitions of the instance so far. */
  @Property({ type: 'integer' })
  sequence!: number;

  @Property({ type: 'datetime', length: 3 })
  createdAt!: Date;
}
