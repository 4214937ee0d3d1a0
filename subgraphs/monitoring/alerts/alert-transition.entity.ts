import { Entity, Enum, Index, PrimaryKey, Property, Unique } from '@mikro-orm/decorators/legacy';
import { Field, Float, ID, ObjectType } from 'type-graphql';
import { JsonObject } from '../../../kernel/graphql/scalars.ts';
import { OrganizationFilter } from '../../../kernel/records/organization-filter.ts';
import type { Labels } from '../series/series.ts';
import { AlertReason, AlertState } from './alert.states.ts';

/** A state transition of an alert instance. The record never changes. */
@ObjectType({ description: 'A change of the state of an instance of an alert. Kept for 400 days.' })
@Entity({ tableName: 'alert_transition' })
@OrganizationFilter({ account: { by: 'alertId', of: 'Alert' } })
@Unique({ name: 'alert_transition_unique', properties: ['instanceId', 'sequence'] })
@Index({ name: 'alert_transition_alert_index', properties: ['organizationId', 'alertId', 'createdAt', 'id'] })
@Index({ name: 'alert_transition_created_index', properties: ['createdAt'] })
export class AlertTransition {
  @Field(() => ID)
  @PrimaryKey({ type: 'text' })
  id!: string;

  @Property({ type: 'text' })
  organizationId!: string;

  @Property({ type: 'text' })
  alertId!: string;

  @Field(() => ID, { description: 'Instance whose state changed (`alinst_…`).' })
  @Property({ type: 'text' })
  instanceId!: string;

  /** Number of the transition within its instance, starting at 1. A unique index ensures that each transition is stored once. */
  @Property({ type: 'integer' })
  sequence!: number;

  @Field(() => ID, {
    nullable: true,
    description: 'Service of the series (`svc_…`). Null if the group contains series of several services.',
  })
  @Property({ type: 'text', nullable: true })
  serviceId: string | null = null;

  @Field(() => JsonObject, { description: 'Labels of the instance, by name.' })
  @Property({ type: 'json' })
  labels: Labels = {};

  @Field(() => AlertState, { name: 'from', description: 'State before.' })
  @Enum({ items: () => AlertState, type: 'text' })
  fromState!: AlertState;

  @Field(() => AlertState, { name: 'to', description: 'State after.' })
  @Enum({ items: () => AlertState, type: 'text' })
  toState!: AlertState;

  @Field(() => AlertReason, { description: 'Why the state changed.' })
  @Enum({ items: () => AlertReason, type: 'text' })
  reason!: AlertReason;

  @Field(() => Float, { nullable: true, description: 'Value of the evaluation. Null without samples.' })
  @Property({ type: 'double', nullable: true })
  value: number | null = null;

  @Field(() => Date)
  @Property({ type: 'datetime', length: 3 })
  createdAt!: Date;
}
