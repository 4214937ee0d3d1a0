import { Entity, Enum, Index, PrimaryKey, Property, Unique } from '@mikro-orm/decorators/legacy';
import { Directive, Field, ID, Int, ObjectType } from 'type-graphql';
import { OrganizationFilter } from '../../../kernel/records/organization-filter.ts';
import { Revision } from '../../../kernel/records/revision.ts';
import { IncidentSeverity, IncidentSource, IncidentStatus, incidentStates } from './incident.states.ts';

/**
 * An incident: a disturbance of one or more services (specification 4.6). It belongs to the accounts of its services, so callers who may
 * see one of the services may see the incident.
 */
@ObjectType({ description: 'A disturbance of one or more services, from its discovery to its end.' })
@Directive('@key(fields: "id")')
@Entity({ tableName: 'incident' })
@OrganizationFilter({ account: { by: 'incidentId', any: 'AffectedService' } })
@Unique({ name: 'incident_number_unique', properties: ['organizationId', 'number'] })
@Index({ name: 'incident_created_index', properties: ['organizationId', 'createdAt', 'id'] })
@Index({ name: 'incident_started_index', properties: ['organizationId', 'startedAt', 'id'] })
@Index({
  name: 'incident_cause_unique',
  expression:
    'create unique index "incident_cause_unique" on "monitoring"."incident" ("organization_id", "cause") where "resolved_at" is null and "cause" is not null',
})
@Index({
  name: 'incident_open_index',
  expression:
    'create index "incident_open_index" on "monitoring"."incident" ("organization_id", "provider", "area", "started_at") where "resolved_at" is null',
})
@Index({
  name: 'incident_resolve_due_index',
  expression: 'create index "incident_resolve_due_index" on "monitoring"."incident" ("resolve_due_at") where "resolve_due_at" is not null',
})
@Index({
  name: 'incident_resolved_index',
  expression: 'create index "incident_resolved_index" on "monitoring"."incident" ("resolved_at") where "resolved_at" is not null',
})
export class Incident {
  @Field(() => ID)
  @PrimaryKey({ type: 'text' })
  id!: string;

  @Property({ type: 'text' })
  organizationId!: string;

  @Field(() => String, { description: 'Number for people, such as `INC-1001`. Unique in the organization.' })
  @Property({ type: 'text' })
  number!: string;

  @Field(() => String, { description: 'What is wrong, in a few words, 1 to 200 characters.' })
  @Property({ type: 'text' })
  title!: string;

  @Field(() => IncidentStatus, { description: 'How far the work on the incident has come.' })
  @Enum({ items: () => IncidentStatus, type: 'text' })
  status: IncidentStatus = IncidentStatus.INVESTIGATING;

  @Field(() => IncidentSeverity, { description: 'How serious the incident is.' })
  @Enum({ items: () => IncidentSeverity, type: 'text' })
  severity!: IncidentSeverity;

  /** True if a caller has set the severity. Measurements do not raise the severity in this case. */
  @Property({ type: 'boolean' })
  isSeveritySet = false;

  @Field(() => IncidentSource, { description: 'What opened the incident.' })
  @Enum({ items: () => IncidentSource, type: 'text' })
  source!: IncidentSource;

  /** Cause for which the platform opened the incident, such as `health/svc_…` or `alert/alrt_…`. Each cause has at most one open incident. */
  @Property({ type: 'text', nullable: true })
  cause: string | null = null;

  @Field(() => String, { nullable: true, description: 'Company that provides the services. Null if it is not known.' })
  @Property({ type: 'text', nullable: true })
  provider: string | null = null;

  @Field(() => String, {
    nullable: true,
    description: 'City and state of the services, such as `New York, NY`. Null if it is not known.',
  })
  @Property({ type: 'text', nullable: true })
  area: string | null = null;

  @Field(() => Boolean, {
    description:
      'True if the incident is resolved without a person, five minutes after all of its services work again and none of its alerts fires. It becomes false when a caller sets the status.',
  })
  @Property({ type: 'boolean' })
  resolvesItself = false;

  @Field(() => Date, { description: 'When the disturbance began.' })
  @Property({ type: 'datetime', length: 3 })
  startedAt!: Date;

  @Field(() => Date, { nullable: true, description: 'When the reason was found. Null if it was not found yet.' })
  @Property({ type: 'datetime', length: 3, nullable: true })
  identifiedAt: Date | null = null;

  @Field(() => Date, { nullable: true, description: 'When the incident was resolved. Null while it is open.' })
  @Property({ type: 'datetime', length: 3, nullable: true })
  resolvedAt: Date | null = null;

  /** Time at which the platform resolves the incident. Null while a service fails, or if a person resolves it. */
  @Property({ type: 'datetime', length: 3, nullable: true })
  resolveDueAt: Date | null = null;

  @Revision()
  revision = 1;

  @Field(() => Date)
  @Property({ type: 'datetime', length: 3 })
  createdAt!: Date;

  @Field(() => Date)
  @Property({ type: 'datetime', length: 3 })
  updatedAt!: Date;

  @Field(() => Int, {
    nullable: true,
    description: 'Seconds from the beginning of the disturbance until the incident was resolved. Null while it is open.',
  })
  get durationSeconds(): number | null {
    return this.resolvedAt && Math.max(0, Math.round((this.resolvedAt.getTime() - this.startedAt.getTime()) / 1000));
  }

  /**
   * Moves the incident to `status`.
   * @throws InvalidState
   */
  moveTo(status: IncidentStatus, now: Date): void {
    incidentStates.check(this.status, status);
    this.status = status;
    this.updatedAt = now;
    if (status === IncidentStatus.IDENTIFIED) this.identifiedAt ??= now;
    if (status !== IncidentStatus.RESOLVED) return;
    this.resolvedAt = now;
    this.resolveDueAt = null;
    this.resolvesItself = false;
  }
}
