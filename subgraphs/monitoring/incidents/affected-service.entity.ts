import { Entity, Enum, Index, PrimaryKey, Property, Unique } from '@mikro-orm/decorators/legacy';
import { Field, ID, ObjectType } from 'type-graphql';
import { OrganizationFilter } from '../../../kernel/records/organization-filter.ts';
import { IncidentImpact } from './incident.states.ts';

/** A service that is affected by an incident. */
@ObjectType({ description: 'A service that an incident disturbs.' })
@Entity({ tableName: 'incident_service' })
@OrganizationFilter({ account: 'accountId' })
@Unique({ name: 'incident_service_unique', properties: ['incidentId', 'serviceId'] })
@Index({ name: 'incident_service_service_index', properties: ['organizationId', 'serviceId', 'incidentId'] })
@Index({ name: 'incident_service_account_index', properties: ['incidentId', 'accountId'] })
export class AffectedService {
  @PrimaryKey({ type: 'text' })
  id!: string;

  @Property({ type: 'text' })
  organizationId!: string;

  @Property({ type: 'text' })
  incidentId!: string;

  @Field(() => ID, { description: 'Service that is disturbed (`svc_…`).' })
  @Property({ type: 'text' })
  serviceId!: string;

  @Field(() => ID, { description: 'Account of the service (`acc_…`).' })
  @Property({ type: 'text' })
  accountId!: string;

  @Field(() => IncidentImpact, {
    nullable: true,
    description: 'Effect on the service, as measured. Null while the service is not measured as degraded or down.',
  })
  @Enum({ items: () => IncidentImpact, type: 'text', nullable: true })
  impact: IncidentImpact | null = null;

  @Field(() => Date, { nullable: true, description: 'When the service was first measured as degraded or down. Null if it never was.' })
  @Property({ type: 'datetime', length: 3, nullable: true })
  beganAt: Date | null = null;

  @Field(() => Date, {
    nullable: true,
    description: 'When the service worked again. Null while the service does not work, or if it always worked.',
  })
  @Property({ type: 'datetime', length: 3, nullable: true })
  endedAt: Date | null = null;

  @Property({ type: 'datetime', length: 3 })
  createdAt!: Date;

  /** Stores that the service has been degraded or down since `at`. */
  begin(impact: IncidentImpact, at: Date): void {
    this.impact = impact;
    this.beganAt ??= at;
    this.endedAt = null;
  }

  /** Stores that the service has worked again since `at`. */
  end(at: Date): void {
    this.impact = null;
    this.endedAt = at;
  }
}
