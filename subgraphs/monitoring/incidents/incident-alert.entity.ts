import { Entity, Index, PrimaryKey, Property, Unique } from '@mikro-orm/decorators/legacy';
import { Field, ID, ObjectType } from 'type-graphql';
import { JsonObject } from '../../../kernel/graphql/scalars.ts';
import { OrganizationFilter } from '../../../kernel/records/organization-filter.ts';
import type { Labels } from '../series/series.ts';

/**
 * An instance of an alert that fires, or fired, during an incident. Its account is that of its service: a caller who sees another
 * service of the incident must not see it.
 */
@ObjectType({ description: 'An instance of an alert that fires, or fired, during an incident.' })
@Entity({ tableName: 'incident_alert' })
@OrganizationFilter({ account: 'accountId' })
@Unique({ name: 'incident_alert_unique', properties: ['incidentId', 'instanceId'] })
@Index({ name: 'incident_alert_incident_index', properties: ['organizationId', 'incidentId', 'createdAt', 'id'] })
@Index({ name: 'incident_alert_instance_index', properties: ['organizationId', 'instanceId'] })
export class IncidentAlert {
  @PrimaryKey({ type: 'text' })
  id!: string;

  @Property({ type: 'text' })
  organizationId!: string;

  @Property({ type: 'text' })
  incidentId!: string;

  @Field(() => ID, { description: 'Alert that fires (`alrt_…`). It may have been deleted since.' })
  @Property({ type: 'text' })
  alertId!: string;

  @Property({ type: 'text', nullable: true })
  accountId: string | null = null;

  @Field(() => ID, { description: 'Instance of the alert (`alinst_…`).' })
  @Property({ type: 'text' })
  instanceId!: string;

  @Field(() => ID, { nullable: true, description: 'Service of the instance (`svc_…`). Null if the instance is about no single service.' })
  @Property({ type: 'text', nullable: true })
  serviceId: string | null = null;

  @Field(() => JsonObject, { description: 'Labels by which the alert keeps series apart, by name.' })
  @Property({ type: 'json' })
  labels: Labels = {};

  @Field(() => Date, { description: 'When the instance began to fire.' })
  @Property({ type: 'datetime', length: 3 })
  beganAt!: Date;

  @Field(() => Date, { nullable: true, description: 'When the instance was resolved. Null while it fires.' })
  @Property({ type: 'datetime', length: 3, nullable: true })
  endedAt: Date | null = null;

  @Property({ type: 'datetime', length: 3 })
  createdAt!: Date;
}
